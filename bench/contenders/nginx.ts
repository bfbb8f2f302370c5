/**
 * nginx as Debian builds it, one worker process, without an access log: what many take for a few fixed answers.
 *
 * A static route is a `location` that returns its text, a parameter a pattern, a rule a `map` from the part of the request to the
 * text. It reads no body.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../installed.ts';
import type { Response, Route, Rule, Scenario } from '../mocks/scenario.ts';
import { startProgram, temporaryDirectory, type Server } from '../processes.ts';
import type { Contender } from './contender.ts';
import { freePort, listening } from './ports.ts';

/** A directive takes no longer text: such a body is a file. */
const TEXT_BYTES_MAX = 4_000;

export const nginx: Contender = {
  name: 'nginx',
  missing: () => (findProgram('nginx') === undefined ? 'not installed: apt install nginx-light' : undefined),
  // It says so on standard error.
  version: async () => /\d[\d.]*/.exec(spawnSync(program(), ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? '',
  cannot: ({ rawWork }) => (rawWork === 'parse' ? 'reads no bodies' : undefined),
  async start(scenario, { hosts }) {
    const prefix = temporaryDirectory();
    const port = await freePort();
    const names = scenario.mockCount === 1 ? ['_'] : hosts.map((host) => host.replace(/:\d+$/, ''));
    const file = join(prefix, 'nginx.conf');
    writeFileSync(file, configuration(scenario, port, names, prefix));
    return startNginx(prefix, file, port);
  },
};

/** In front of another server: one header is written each way, connections to it are kept. */
export async function startReverseProxy(
  upstreamPort: number,
  header: { name: string; value: string },
  tls?: TlsFiles,
): Promise<Server> {
  const passing = `proxy_pass ${tls === undefined ? 'http' : 'https'}://behind; proxy_http_version 1.1; proxy_set_header connection '';
    proxy_set_header ${header.name} ${header.value}; add_header ${header.name} ${header.value};`;
  const verifying =
    tls === undefined
      ? ''
      : `proxy_ssl_verify on; proxy_ssl_trusted_certificate ${tls.ca}; proxy_ssl_name ${tls.name};`;
  const upstream = `upstream behind { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000000; }`;
  return startServer(`${verifying} ${passing}`, tls, [upstream]);
}

/** A service that answers the same to every request, over TLS. */
export function startTlsService(type: string, body: string, tls: TlsFiles): Promise<Server> {
  return startServer(`default_type ${type}; return 200 ${text(body)};`, tls);
}

/** Files in PEM. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
  /** In the certificate. */
  readonly name: string;
}

async function startServer(inLocation: string, tls: TlsFiles | undefined, blocks: string[] = []): Promise<Server> {
  const prefix = temporaryDirectory();
  const port = await freePort();
  const file = join(prefix, 'nginx.conf');
  const secure = tls === undefined ? '' : `ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key};`;
  const listen = `listen 127.0.0.1:${port}${tls === undefined ? '' : ' ssl'};`;
  writeFileSync(file, configurationOf([...blocks, `server { ${listen} ${secure} location / { ${inLocation} } }`]));
  return startNginx(prefix, file, port);
}

function startNginx(prefix: string, file: string, port: number): Promise<Server> {
  const args = ['-p', prefix, '-c', file, '-e', 'stderr'];
  execFileSync(program(), [...args, '-t', '-q']);
  return listening(startProgram(program(), args), port);
}

function program(): string {
  return findProgram('nginx') as string;
}

function configuration({ routes }: Scenario, port: number, names: readonly string[], prefix: string): string {
  const maps: string[] = [];
  const locations = routes.map((route, index) => location(route, index, maps, prefix)).join('\n');
  const servers = names.map((name) => `server { listen 127.0.0.1:${port}; server_name ${name};\n${locations}\n}`);
  return configurationOf([...maps, ...servers]);
}

/** @param blocks Of the block `http`. */
function configurationOf(blocks: readonly string[]): string {
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000000;
  server_names_hash_max_size 8192;
  server_names_hash_bucket_size 128;
  map_hash_bucket_size 256;
  open_file_cache max=16;
  types {}
  default_type application/json;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join(' ')}
  ${blocks.join('\n  ')}
}
`;
}

function location(route: Route, index: number, maps: string[], prefix: string): string {
  const [response] = route.responses as [Response];
  const head = route.path.includes(':') ? `location ~ ^${captures(route.path)}$` : `location = ${route.path}`;
  if (response.body.length > TEXT_BYTES_MAX) {
    const file = join(prefix, `body-${index}`);
    writeFileSync(file, response.body);
    return `${head} { alias ${file}; }`;
  }
  if (response.rules === undefined) return `${head} { return 200 ${text(response.body)}; }`;
  maps.push(map(route.responses, `$body_${index}`));
  return `${head} { return 200 $body_${index}; }`;
}

function map(responses: readonly Response[], variable: string): string {
  const lines = responses.map(
    ({ rules: [rule] = [], body }) => `${rule === undefined ? 'default' : key(rule)} ${text(body)};`,
  );
  const [asked] = responses.flatMap(({ rules = [] }) => rules) as [Rule];
  return `map ${variableOf(asked)} ${variable} { ${lines.join(' ')} }`;
}

function key({ operator, value }: Rule): string {
  return `"${operator === 'regex' ? `~${value.replaceAll('\\', '\\\\')}` : value}"`;
}

function variableOf({ target, property }: Rule): string {
  return target === 'query' ? `$arg_${property}` : `$http_${property.replaceAll('-', '_')}`;
}

function captures(path: string): string {
  return path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
}

function text(body: string): string {
  const withVariables = body
    .replaceAll(/\{\{urlParam '(\w+)'\}\}/g, '$$$1')
    .replaceAll(/\{\{queryParam '(\w+)'\}\}/g, '$$arg_$1');
  return `'${withVariables}'`;
}
