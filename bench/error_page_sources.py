"""Error, empty and log-in pages that servers and applications bring: where they lie, or how to have them served.

A source is a site of its own. What is not installed on this machine is left out and said so. Servers listen on
loopback at a port that the system chooses, and are ended by their process. Debian packages are to be installed, or
unpacked over the machine's files in a mount namespace; programs of Python packages run in the Python of `venv`.
"""

from __future__ import annotations

from typing import NamedTuple

SOFT_404, LOGIN, EMPTY, ORDINARY = "soft-404", "login-wall", "empty", "ordinary"


class Files(NamedTuple):
    """Pages that lie in a package as they are sent."""

    site: str
    kind: str
    pattern: str


class Served(NamedTuple):
    """Pages that a program sends: what it is started with, a file of settings or a program, what to ask it for."""

    site: str
    command: str
    settings: str
    asked: str
    """Lines of a kind and a path each."""


_PYTHON = "{venv}/bin/python {settings} {port}"
_LOST = "soft-404 /no/such/page\nsoft-404 /missing.html\nsoft-404 /a%20b?c=d"

FILES = (
    Files("squid", SOFT_404, "usr/share/squid-langpack/en/ERR_*"),
    Files("squid-de", SOFT_404, "usr/share/squid-langpack/de/ERR_*_D*"),
    Files("squid-fr", SOFT_404, "usr/share/squid-langpack/fr/ERR_*_D*"),
    Files("squid-es", SOFT_404, "usr/share/squid-langpack/es/ERR_*_D*"),
    Files("haproxy", SOFT_404, "etc/haproxy/errors/*.http"),
    Files("privoxy", SOFT_404, "etc/privoxy/templates/cgi-error-*"),
    Files("privoxy", SOFT_404, "etc/privoxy/templates/*-failed"),
    Files("privoxy", SOFT_404, "etc/privoxy/templates/no-s*"),
    Files("privoxy", SOFT_404, "etc/privoxy/templates/connection-timeout"),
    Files("tinyproxy", SOFT_404, "usr/share/tinyproxy/de[bf]*.html"),
    Files("rails", SOFT_404, "usr/share/rubygems-integration/all/gems/railties-*/lib/**/public/[45]*.html"),
    Files("redmine", SOFT_404, "usr/share/redmine/public/[45]*.html"),
    Files("dancer2", SOFT_404, "usr/share/perl5/auto/share/dist/Dancer2/skel/public/[45]*.html"),
    Files("mkdocs", SOFT_404, "usr/share/doc/mkdocs/html/404.html"),
    Files("cockpit", LOGIN, "usr/share/cockpit/static/login.html"),
    Files("apache2-doc", ORDINARY, "usr/share/doc/apache2-doc/manual/en/**/*.html"),
    Files("apache2-doc-de", ORDINARY, "usr/share/doc/apache2-doc/manual/de/**/*.html"),
    Files("apache2-doc-fr", ORDINARY, "usr/share/doc/apache2-doc/manual/fr/**/*.html"),
    Files("sqlite3-doc", ORDINARY, "usr/share/doc/sqlite3/**/*.html"),
    Files("python3-doc", ORDINARY, "usr/share/doc/python3.11/html/**/*.html"),
    Files("handbook-en", ORDINARY, "usr/share/doc/debian-handbook/html/en-US/*.html"),
    Files("handbook-de", ORDINARY, "usr/share/doc/debian-handbook/html/de-DE/*.html"),
    Files("handbook-es", ORDINARY, "usr/share/doc/debian-handbook/html/es-ES/*.html"),
    Files("postgresql-doc", ORDINARY, "usr/share/doc/postgresql-doc-15/html/*.html"),
    Files("django-doc", ORDINARY, "usr/share/doc/python-django-doc/html/**/*.html"),
    Files("git-doc", ORDINARY, "usr/share/doc/git-doc/**/*.html"),
    Files("privoxy-doc", ORDINARY, "usr/share/doc/privoxy/**/*.html"),
    Files("phpmyadmin-doc", ORDINARY, "usr/share/doc/phpmyadmin/html/*.html"),
    Files("tomcat10-docs", ORDINARY, "usr/share/tomcat10-docs/docs/**/*.html"),
    Files("cups-doc", ORDINARY, "usr/share/cups/doc-root/help/*.html"),
    Files("maint-guide", ORDINARY, "usr/share/doc/maint-guide/html/*.html"),
    Files("debian-faq", ORDINARY, "usr/share/doc/debian/FAQ/*.html"),
    Files("mkdocs-doc", ORDINARY, "usr/share/doc/mkdocs/html/*/**/*.html"),
    Files("nagios-help", ORDINARY, "usr/share/nagios4/htdocs/contexthelp/*.html"),
    Files("redmine-help", ORDINARY, "usr/share/redmine/public/help/**/*.html"),
    Files("bootstrap-examples", ORDINARY, "usr/share/doc/libjs-bootstrap4/examples/**/*.html"),
    Files("django-q-doc", ORDINARY, "usr/share/doc/python3-django-q/html/*.html"),
    Files("postorius-doc", ORDINARY, "usr/share/doc/python3-django-postorius/html/*.html"),
)

_NGINX = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{}} http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
server {{ listen 127.0.0.1:{port}; root {empty};
{states} location /bad {{ proxy_pass http://127.0.0.1:9/; }} }} }}"""
_STATES = (400, 401, 402, 403, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 421, 429, 500, 501, 503, 504, 505)
_NGINX_STATES = " ".join(f"location /{state} {{{{ return {state}; }}}}" for state in _STATES)
_ALL_STATES = "\n".join(f"soft-404 /{state}" for state in (403, 404, 410, 500, 502, 503))
_APACHE = """ServerName a.example
PidFile {folder}/pid
ErrorLog {folder}/errors
Listen 127.0.0.1:{port}
DocumentRoot {empty}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
"""
_OF_APACHE = (400, 401, 403, 405, 406, 408, 410, 411, 413, 429, 500, 501, 502, 503, 504)
_APACHE_PLAIN = _APACHE + "\n".join(f"Redirect {state} /{state}" for state in _OF_APACHE)
_APACHE_STATES = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    408: "REQUEST_TIME_OUT",
    410: "GONE",
    500: "INTERNAL_SERVER_ERROR",
    501: "NOT_IMPLEMENTED",
    502: "BAD_GATEWAY",
    503: "SERVICE_UNAVAILABLE",
}
_APACHE_PAGES = _APACHE + "\n".join(
    [
        "LoadModule negotiation_module /usr/lib/apache2/modules/mod_negotiation.so",
        "LoadModule include_module /usr/lib/apache2/modules/mod_include.so",
        "LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so",
        "TypesConfig /etc/mime.types",
        "Alias /error/ /usr/share/apache2/error/",
        "<Location /error/>",
        "Options IncludesNoExec",
        "</Location>",
        "AddHandler type-map var",
        "AddOutputFilter Includes html",
        "LanguagePriority en",
        "ForceLanguagePriority Prefer Fallback",
        *(f"ErrorDocument {state} /error/HTTP_{name}.html.var" for state, name in _APACHE_STATES.items()),
        *(f"Redirect {state} /{state}" for state in _APACHE_STATES if state != 404),
    ]
)
_PHP_ALONE = (
    "php8.2 -n -d extension_dir={php} {extensions} -d display_errors=0 -d include_path=.:/usr/share/php "
    "-d session.save_path={folder}"
)
_PHP = _PHP_ALONE + " -S 127.0.0.1:{port} -t /"
_MEDIAWIKI = (
    f'sh -c "{_PHP_ALONE} /var/lib/mediawiki/maintenance/install.php --dbtype sqlite --dbpath {{folder}} --confpath '
    f"{{folder}} --pass Herons-and-otters-1 --server http://127.0.0.1:{{port}} --scriptpath /. Herons Admin; "
    f'MW_CONFIG_FILE={{folder}}/LocalSettings.php exec {_PHP}var/lib/mediawiki"'
)
_ASKED_OF_DOKUWIKI = """soft-404 /doku.php?id=lakes
soft-404 /doku.php?id=nobody:wrote:this
soft-404 /doku.php?id=herons
soft-404 /doku.php?id=rivers:and:lakes
ordinary /doku.php?id=wiki:syntax
ordinary /doku.php?id=wiki:welcome
ordinary /doku.php?id=wiki:dokuwiki"""

_FLASK = """import sys
from flask import Flask, abort
app = Flask("a")
@app.route("/<int:state>")
def fail(state): abort(state)
@app.route("/nothing")
def nothing(): return ""
app.run("127.0.0.1", int(sys.argv[1]))"""
_DJANGO = """import sys
from django.conf import settings
import django
settings.configure(DEBUG={debug}, ROOT_URLCONF="__main__", SECRET_KEY="k", ALLOWED_HOSTS=["*"], USE_TZ=True,
 SITE_ID=1, STATIC_URL="/static/", LANGUAGE_CODE="{tongue}", DATABASES={{"default": {{"ENGINE":
 "django.db.backends.sqlite3", "NAME": ":memory:"}}}}, INSTALLED_APPS=[{more}"django.contrib.admin",
 "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
 "django.contrib.sites", "django.contrib.staticfiles"], MIDDLEWARE=[
 "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
 "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
 {middleware}], TEMPLATES=[{{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS":
 {{"context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
 "django.contrib.messages.context_processors.messages"]}}}}])
django.setup()
from django.contrib import admin
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpResponse
from django.urls import include, path
from wsgiref.simple_server import make_server
from django.core.wsgi import get_wsgi_application
def forbidden(request): raise PermissionDenied
def bad(request): raise SuspiciousOperation
def broken(request): 1 / 0
urlpatterns = [path("admin/", admin.site.urls), path("403", forbidden), path("400", bad), path("500", broken),
 path("nothing", lambda request: HttpResponse("")), {urls}]
from django.core.management import call_command
call_command("migrate", verbosity=0)
make_server("127.0.0.1", int(sys.argv[1]), get_wsgi_application()).serve_forever()"""


def _django(debug: str = "False", tongue: str = "en", more: str = "", middleware: str = "", urls: str = "") -> str:
    return _DJANGO.format(debug=debug, tongue=tongue, more=more, middleware=middleware, urls=urls)


_ALLAUTH = _django(
    more='"allauth", "allauth.account", ',
    middleware='"allauth.account.middleware.AccountMiddleware"',
    urls='path("accounts/", include("allauth.urls"))',
)
_OF_DJANGO = "soft-404 /403\nsoft-404 /400\nsoft-404 /500\nempty /nothing\nlogin-wall /admin/login/\n" + _LOST
_AIOHTTP = """import sys
from aiohttp import web
app = web.Application()
async def fail(request): return web.Response(status=int(request.match_info["state"]))
async def broken(request): 1 / 0
app.add_routes([web.get("/s/{state}", fail), web.get("/500", broken)])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]))"""
_TORNADO = """import sys, asyncio
import tornado.web
class Fail(tornado.web.RequestHandler):
    def get(self, state): raise tornado.web.HTTPError(int(state))
async def main():
    tornado.web.Application([(r"/(\\d+)", Fail)]).listen(int(sys.argv[1]), "127.0.0.1"); await asyncio.Event().wait()
asyncio.run(main())"""
_BOTTLE = """import sys, bottle
@bottle.route("/<state:int>")
def fail(state): bottle.abort(state, "It failed")
bottle.run(host="127.0.0.1", port=int(sys.argv[1]))"""
_CHERRYPY = """import sys, cherrypy
class Root:
    @cherrypy.expose
    def fail(self, state): raise cherrypy.HTTPError(int(state))
cherrypy.config.update({"server.socket_host": "127.0.0.1", "server.socket_port": int(sys.argv[1]),
 "request.show_tracebacks": False})
cherrypy.quickstart(Root())"""
_PYRAMID = """import sys
from pyramid.config import Configurator
from pyramid.httpexceptions import status_map
from wsgiref.simple_server import make_server
config = Configurator()
config.add_route("fail", "/{state}")
def fail(request): raise status_map.get(int(request.matchdict["state"]) if request.matchdict["state"].isdigit()
 else 404, status_map[404])()
config.add_view(fail, route_name="fail")
make_server("127.0.0.1", int(sys.argv[1]), config.make_wsgi_app()).serve_forever()"""
_SANIC = """import sys
from sanic import Sanic
from sanic.exceptions import SanicException
app = Sanic("a")
app.config.FALLBACK_ERROR_FORMAT = "html"
@app.get("/<state:int>")
async def fail(request, state): raise SanicException("It failed", status_code=state)
if __name__ == "__main__": app.run("127.0.0.1", int(sys.argv[1]), single_process=True)"""
_TWISTED = """import sys
from twisted.internet import reactor
from twisted.web import resource, server, static
root = resource.Resource()
root.putChild(b"403", resource.ForbiddenResource())
root.putChild(b"500", resource.ErrorPage(500, "Internal Server Error", "It failed."))
root.putChild(b"503", resource.ErrorPage(503, "Service Unavailable", "Come back later."))
reactor.listenTCP(int(sys.argv[1]), server.Site(root), interface="127.0.0.1")
reactor.run()"""
_STARLETTE = """import sys, uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
def fail(request): raise HTTPException(request.path_params["state"])
uvicorn.run(Starlette(routes=[Route("/{state:int}", fail)]), host="127.0.0.1", port=int(sys.argv[1]))"""
_WERKZEUG = """import sys
from werkzeug.exceptions import default_exceptions, NotFound
from werkzeug.serving import run_simple
def app(environ, start):
    state = environ["PATH_INFO"][1:]
    return default_exceptions.get(int(state) if state.isdigit() else 404, NotFound)()(environ, start)
run_simple("127.0.0.1", int(sys.argv[1]), app)"""
_WEB_PY = """import sys, web
class fail:
    def GET(self, state): raise {"403": web.Forbidden, "500": web.InternalError, "410": web.Gone}[state]()
app = web.application(("/(\\\\d+)", "fail"), {"fail": fail})
web.httpserver.runsimple(app.wsgifunc(), ("127.0.0.1", int(sys.argv[1])))"""
_FALCON = """import sys, falcon
from wsgiref.simple_server import make_server
make_server("127.0.0.1", int(sys.argv[1]), falcon.App()).serve_forever()"""
_FLASK_ADMIN = """import sys
from flask import Flask
from flask_security import Security, SQLAlchemyUserDatastore
from flask_sqlalchemy import SQLAlchemy
from flask_security.models import fsqla_v3
app = Flask("a")
app.config.update(SECRET_KEY="k", SECURITY_PASSWORD_SALT="1", SQLALCHEMY_DATABASE_URI="sqlite://",
 SECURITY_REGISTERABLE=True, SECURITY_RECOVERABLE=True, SECURITY_SEND_REGISTER_EMAIL=False)
db = SQLAlchemy(app)
fsqla_v3.FsModels.set_db_info(db)
class Role(db.Model, fsqla_v3.FsRoleMixin): pass
class User(db.Model, fsqla_v3.FsUserMixin): pass
Security(app, SQLAlchemyUserDatastore(db, User, Role))
app.run("127.0.0.1", int(sys.argv[1]))"""
_EXPRESS = """const express = require("express"); const app = express();
app.get("/500", (q, r) => {{ throw new Error("It failed"); }});
app.get("/403", (q, r) => r.sendStatus(403)); app.get("/503", (q, r) => r.sendStatus(503));
app.get("/nothing", (q, r) => r.send(""));
app.listen({port}, "127.0.0.1");"""
_DASH = """import sys, dash
app = dash.Dash()
app.layout = dash.html.Div("herons")
app.run(host="127.0.0.1", port=int(sys.argv[1]))"""
_MOJO = "use Mojolicious::Lite; get '/500' => sub {{ die 'It failed' }}; app->mode('{mode}'); app->start;"

SERVED = (
    Served(
        "nginx",
        "nginx -c {settings} -e {folder}/errors",
        _NGINX.replace("{states}", _NGINX_STATES),
        "\n".join(f"soft-404 /{state}" for state in (*_STATES, "bad", "x/y")),
    ),
    Served(
        "lighttpd",
        "lighttpd -D -m /usr/lib/lighttpd -f {settings}",
        'server.bind="127.0.0.1"\nserver.port={port}\nserver.document-root="{empty}"\nurl.access-deny=("~")\n',
        _LOST + "\nsoft-404 /a~\nsoft-404 /",
    ),
    Served(
        "apache2",
        "apache2 -d {folder} -X -f {settings}",
        _APACHE_PLAIN,
        "\n".join(f"soft-404 /{state}" for state in (404, *_OF_APACHE)),
    ),
    Served(
        "apache2-pages",
        "apache2 -d {folder} -X -f {settings}",
        _APACHE_PAGES,
        "\n".join(f"soft-404 /{state}" for state in _APACHE_STATES),
    ),
    Served("mini-httpd", "mini_httpd -D -h 127.0.0.1 -p {port} -d {empty}", "", _LOST),
    Served("webfs", "webfsd -F -i 127.0.0.1 -p {port} -r {empty}", "", _LOST),
    Served(
        "h2o",
        "h2o -c {settings}",
        "user: root\nlisten:\n  host: 127.0.0.1\n  port: {port}\nhosts:\n  default:\n    paths:\n      /:\n"
        "        file.dir: {empty}\n",
        _LOST,
    ),
    Served(
        "caddy",
        "caddy run --adapter caddyfile --config {settings}",
        "{{\n admin off\n auto_https off\n}}\nhttp://127.0.0.1:{port} {{\n root * {empty}\n file_server\n}}\n",
        "empty /no/such/page\nempty /other",
    ),
    Served("php", _PHP + "usr/share/doc", "", "soft-404 /no/such/page\nsoft-404 /missing.html\nsoft-404 /x.php"),
    Served("dokuwiki", _PHP + "usr/share/dokuwiki", "", _ASKED_OF_DOKUWIKI),
    Served(
        "adminer", _PHP + "usr/share/adminer/adminer", "", "login-wall /\nlogin-wall /?sqlite=\nlogin-wall /?pgsql="
    ),
    Served("phpmyadmin", _PHP + "usr/share/phpmyadmin", "", "login-wall /\nlogin-wall /index.php?route=/sql"),
    Served(
        "mediawiki",
        _MEDIAWIKI,
        "",
        "soft-404 /index.php?title=Herons\nsoft-404 /index.php?title=Otters\n"
        "login-wall /index.php?title=Special:UserLogin\nsoft-404 /index.php?title=Special:Nothing\n"
        "soft-404 /index.php?title=A|B\nordinary /index.php?title=Main_Page\n"
        "ordinary /index.php?title=Special:Version\nsoft-404 /index.php?title=Main_Page&oldid=99",
    ),
    Served(
        "express",
        "env NODE_PATH=/usr/share/nodejs node {settings}",
        _EXPRESS,
        _LOST + "\nsoft-404 /500\nsoft-404 /403\nempty /nothing",
    ),
    Served(
        "sinatra",
        "ruby {settings}",
        "require 'sinatra'\nset :port, {port}\nset :bind, '127.0.0.1'\n"
        "get('/500') {{ raise 'It failed' }}\nget('/nothing') {{ '' }}\n",
        _LOST + "\nsoft-404 /500\nempty /nothing",
    ),
    Served("webrick", "ruby -run -e httpd {empty} -b 127.0.0.1 -p {port}", "", _LOST),
    Served(
        "mojolicious",
        "perl {settings} daemon -l http://127.0.0.1:{port}",
        _MOJO.replace("{mode}", "production"),
        _LOST + "\nsoft-404 /500",
    ),
    Served(
        "mojolicious-dev",
        "perl {settings} daemon -l http://127.0.0.1:{port}",
        _MOJO.replace("{mode}", "development"),
        _LOST + "\nsoft-404 /500",
    ),
    Served("python", "python3 -m http.server -b 127.0.0.1 -d {empty} {port}", "", _LOST),
    Served("flask", _PYTHON, _FLASK, _LOST + "\n" + _ALL_STATES + "\nempty /nothing"),
    Served("werkzeug", _PYTHON, _WERKZEUG, _ALL_STATES + "\nsoft-404 /418\nsoft-404 /429"),
    Served("django", _PYTHON, _django(), _OF_DJANGO),
    Served("django-de", _PYTHON, _django(tongue="de"), "login-wall /admin/login/"),
    Served("django-debug", _PYTHON, _django(debug="True"), _LOST),
    Served(
        "allauth",
        _PYTHON,
        _ALLAUTH,
        "login-wall /accounts/login/\n"
        "login-wall /accounts/login/?next=/private/\nlogin-wall /accounts/password/change/",
    ),
    Served("aiohttp", _PYTHON, _AIOHTTP, _LOST + "\nsoft-404 /500\nsoft-404 /s/403"),
    Served("tornado", _PYTHON, _TORNADO, _LOST + "\n" + _ALL_STATES),
    Served("bottle", _PYTHON, _BOTTLE, _LOST + "\n" + _ALL_STATES),
    Served("cherrypy", _PYTHON, _CHERRYPY, _LOST + "\n" + _ALL_STATES.replace(" /", " /fail/")),
    Served("pyramid", _PYTHON, _PYRAMID, _LOST + "\n" + _ALL_STATES),
    Served("sanic", _PYTHON, _SANIC, _LOST + "\n" + _ALL_STATES),
    Served("twisted", _PYTHON, _TWISTED, _LOST + "\nsoft-404 /403\nsoft-404 /500\nsoft-404 /503"),
    Served("starlette", _PYTHON, _STARLETTE, _LOST + "\n" + _ALL_STATES),
    Served("web.py", _PYTHON, _WEB_PY, _LOST + "\nsoft-404 /403\nsoft-404 /410\nsoft-404 /500"),
    Served("falcon", _PYTHON, _FALCON, "empty /nothing"),
    Served("flask-security", _PYTHON, _FLASK_ADMIN, "login-wall /login\nlogin-wall /login?next=/a\nlogin-wall /reset"),
    Served("dash", _PYTHON, _DASH, "empty /\nempty /other"),
    Served(
        "streamlit",
        "{venv}/bin/streamlit run --server.headless true --server.address 127.0.0.1 --server.port {port} {settings}",
        "import streamlit",
        "empty /\nempty /other",
    ),
    Served(
        "jupyter-server",
        "{venv}/bin/jupyter-server --allow-root --no-browser --port {port} --ip 127.0.0.1",
        "",
        "login-wall /login\nlogin-wall /tree\nlogin-wall /lab\nsoft-404 /no/such/page",
    ),
    Served(
        "datasette",
        "{venv}/bin/datasette serve --memory --port {port}",
        "",
        _LOST + "\nsoft-404 /nodatabase\nordinary /\nordinary /-/versions\nordinary /_memory",
    ),
    Served(
        "radicale",
        "{venv}/bin/radicale --server-hosts 127.0.0.1:{port} --storage-filesystem-folder {folder}",
        "",
        "login-wall /.web/\nsoft-404 /no/such/page",
    ),
    Served("luigi", "{venv}/bin/luigid --address 127.0.0.1 --port {port}", "", _LOST),
    Served(
        "tensorboard",
        "{venv}/bin/tensorboard --logdir {folder} --port {port} --host 127.0.0.1",
        "",
        "empty /\nsoft-404 /x",
    ),
    Served("pypiserver", "{venv}/bin/pypi-server run -p {port} -i 127.0.0.1 {empty}", "", "ordinary /"),
    Served("devpi", "{venv}/bin/devpi-server --serverdir {folder}/devpi --host 127.0.0.1 --port {port}", "", _LOST),
)
