/**
 * Load by wrk, which takes a quarter of the processor time per request that autocannon takes: with two cores, what a server can
 * do shows with it.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import type { Load, LoadResult } from './load.ts';

/** wrk takes whole seconds only. */
const SECONDS_MIN = 1;
/** Of the slowest servers, the last of all connections waits for seconds. */
const TIMEOUT_SECONDS = 60;
/** A server that takes all 64 requests at once and a second for them answers none in a short run: the next is twice as long. */
const RUNS_WITHOUT_ANSWER_MAX = 4;

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
export async function runWrk(wrk: string, scriptFile: string, load: Load): Promise<LoadResult> {
  writeFileSync(scriptFile, luaScript(load));
  let runSeconds = Math.max(SECONDS_MIN, Math.round(load.seconds));
  let seconds = 0;
  for (let runs = 0; runs < RUNS_WITHOUT_ANSWER_MAX; runs++) {
    const { requestCount, microseconds, refusedCount, errorCount, p50, p99 } = await run(
      wrk,
      scriptFile,
      load,
      runSeconds,
    );
    // wrk tells statuses apart at 400 only; the answers are compared before and after.
    const expectedRefusals = (load.status ?? 200) >= 400 ? requestCount : 0;
    if (errorCount > 0 || refusedCount !== expectedRefusals) {
      const answers = `${requestCount} answers, ${refusedCount} of them of 400 or above, ${errorCount} errors`;
      throw new Error(`wrk, ${load.method} ${load.path}: ${answers}`);
    }
    seconds += microseconds / 1e6;
    if (requestCount > 0) {
      // It takes a time for several answers at once, but expects one for each.
      const latency = { p50Ms: p50 / 1e3, p99Ms: p99 / 1e3 };
      return { requestCount, seconds, ...((load.pipelining ?? 1) > 1 ? {} : { latency }) };
    }
    runSeconds *= 2;
  }
  throw new Error(`wrk, ${load.method} ${load.path}: no answer in ${seconds} s`);
}

async function run(
  wrk: string,
  scriptFile: string,
  { port, path, connections }: Load,
  seconds: number,
): Promise<Summary> {
  const url = `http://127.0.0.1:${port}${path}`;
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${TIMEOUT_SECONDS}s`, '-s', scriptFile];
  const { stdout } = await promisify(execFile)(wrk, [...options, url]);
  return JSON.parse(stdout.slice(stdout.indexOf('\n{'))) as Summary;
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
  return `
local requests = {}
local index = 0
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
