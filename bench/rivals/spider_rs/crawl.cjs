// `crawl.cjs SEED LIMIT`: spider-rs over all hosts, robots off, no delay. LIMIT 0 is none.
const { readFileSync } = require('node:fs')
const { Website } = require('@spider-rs/spider-rs')

async function main(seed, limit) {
  const website = new Website(seed)
    .withRespectRobotsTxt(false)
    .withDelay(0)
    .withExternalDomains(['*'])
  if (limit) website.withBudget({ '*': limit })
  website.build()
  let pages = 0
  const began = process.hrtime.bigint()
  const cpuBegan = process.cpuUsage()
  await website.crawl((error) => {
    if (!error) pages += 1
  })
  await new Promise(setImmediate) // the last page may still be on its way to the callback
  const cpu = process.cpuUsage(cpuBegan)
  console.log(
    JSON.stringify({
      pages,
      seconds: Number(process.hrtime.bigint() - began) / 1e9,
      cpu_seconds: (cpu.user + cpu.system) / 1e6,
      peak_mb: Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024,
    }),
  )
  process.exit(0) // its idle threads would keep the process for another minute
}

main(process.argv[2], Number(process.argv[3]))
