// Line charts, drawn by uPlot in the colours of the page; a sentence says the same to those who cannot see them.

const STROKES = ["--curve", "--good", "--warm", "--bad", "--quiet"];
const HEIGHT = 220;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(label, values) {
  const line = colour("--line");
  return {label, values, stroke: colour("--quiet"), grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}, size: 56, labelSize: 18, font: "12px system-ui", labelFont: "12px system-ui"};
}

// Draw a chart into an element. `told` is {label, x, series: [names], time, percent, summary}; the returned function
// shows new data: [[x...], [y...], ...].
export function lineChart(place, told) {
  const percent = (_, ticks) => ticks.map((tick) => `${Math.round(tick * 100)} %`);
  const plain = (_, ticks) => ticks.map((tick) => tick.toLocaleString("en"));
  const strokes = told.series.map((_, number) => colour(STROKES[number % STROKES.length]));
  const options = {
    width: Math.max(240, place.clientWidth),
    height: HEIGHT,
    legend: {show: told.series.length > 1},
    cursor: {y: false},
    scales: {x: {time: Boolean(told.time)}, y: {range: (_, low, high) => [0, told.percent ? 1 : Math.max(1, high * 1.08)]}},
    axes: [axis(told.x, told.time ? undefined : plain), axis(told.label, told.percent ? percent : plain)],
    series: [{label: told.x}, ...told.series.map((label, number) => ({label, stroke: strokes[number], width: 2, points: {show: false}}))],
  };
  place.replaceChildren();
  place.setAttribute("role", "img");
  const plot = new window.uPlot(options, [[], ...told.series.map(() => [])], place);
  new ResizeObserver(() => {
    if (place.clientWidth && place.clientWidth !== plot.width) plot.setSize({width: place.clientWidth, height: HEIGHT});
  }).observe(place);
  return (data, summary) => {
    plot.setData(data);
    place.setAttribute("aria-label", summary ?? told.summary ?? told.label);
  };
}
