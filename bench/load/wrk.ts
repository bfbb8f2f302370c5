/**
 * Load by wrk, which takes a quarter of the processor time per request that autocannon takes: with two cores, what a server can
 * do shows with it.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProgram } from '../installed.ts';
import type { Load, Sent } from './load.ts';

/** wrk takes whole seconds only. */
const SECONDS_MIN = 1;
/** Of the slowest servers, the last of all connections waits for seconds. */
const TIMEOUT_SECONDS = 60;

export function findWrk(): string | undefined {
  return findProgram('wrk');
}

/** What the script of a load prints at its end. */
interface Summary {
  readonly requestCount: number;
  readonly microseconds: number;
  readonly refusedCount: number;
  readonly errorCount: number;
  readonly p50: number;
  readonly p99: number;
}

/** @param scriptFile Written for each load, since wrk reads requests from a file only. */
export async function runWrk(wrk: string, scriptFile: string, load: Load): Promise<Sent> {
  writeFileSync(scriptFile, luaScript(load));
  const { port, path, connections, status = 200, pipelining = 1 } = load;
  const seconds = Math.max(SECONDS_MIN, Math.round(load.seconds));
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${TIMEOUT_SECONDS}s`, '-s', scriptFile];
  const { stdout } = await promisify(execFile)(wrk, [...options, `http://127.0.0.1:${port}${path}`]);
  const summary = JSON.parse(stdout.slice(stdout.indexOf('\n{'))) as Summary;
  const { requestCount, refusedCount, errorCount, microseconds, p50, p99 } = summary;
  // It tells statuses apart at 400 only; the answers are compared before and after.
  const otherCount = status >= 400 ? requestCount - refusedCount : refusedCount;
  const sent = { requestCount, otherCount, errorCount, seconds: microseconds / 1e6 };
  // It takes a time for several answers at once, but expects one for each.
  return pipelining > 1 ? sent : { ...sent, latency: { p50Ms: p50 / 1e3, p99Ms: p99 / 1e3 } };
}

/** `request` is defined only where requests differ or go out several at a time: wrk calls it for every single one. */
function luaScript({ method, headers, body, reconnect = false, pipelining = 1, requests }: Load): string {
  const lines = [`wrk.method = ${lua(method)}`, `wrk.headers = ${luaHeaders(headers, reconnect)}`];
  if (body !== undefined) lines.push(`wrk.body = ${lua(body)}`);
  if (requests !== undefined) lines.push(inTurn(requests));
  else if (pipelining > 1) lines.push(severalAtATime(pipelining));
  lines.push(printSummary(reconnect));
  return `${lines.join('\n')}\n`;
}

/** wrk adds a Host of its own unless it finds one that is written so. */
function luaHeaders(headers: Load['headers'], reconnect: boolean): string {
  const all = { ...headers, ...(reconnect ? { connection: 'close' } : {}) };
  const lines = Object.entries(all).map(([name, value]) => `[${lua(name === 'host' ? 'Host' : name)}] = ${lua(value)}`);
  return `{ ${lines.join(', ')} }`;
}

function inTurn(requests: Required<Load>['requests']): string {
  const formatted = requests.map(({ path, headers, body }) => {
    return `wrk.format(nil, ${lua(path)}, ${luaHeaders(headers, false)}, ${body === undefined ? 'nil' : lua(body)})`;
  });
  // It asks for one that it does not send, to see how many requests are in it: the last of them.
  return `
local requests = {}
local index = -1
function init()
  ${formatted.map((text, position) => `requests[${position + 1}] = ${text}`).join('\n  ')}
end
function request()
  index = index % #requests + 1
  return requests[index]
end`;
}

function severalAtATime(count: number): string {
  return `
local requests
function init()
  requests = string.rep(wrk.format(), ${count})
end
function request()
  return requests
end`;
}

/** @param reconnect wrk takes it for a failed read when a server closes, as it was asked to, and does not say so in its answer. */
const printSummary = (reconnect: boolean): string => `
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\\n{"requestCount":%d,"microseconds":%d,"refusedCount":%d,"errorCount":%d,"p50":%d,"p99":%d}',
    summary.requests, summary.duration, errors.status, errors.connect + ${reconnect ? '' : 'errors.read + '}errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end`;

/** What JSON escapes in these texts, quotes and line ends, Lua escapes in the same way. */
function lua(text: string): string {
  return JSON.stringify(text);
}
