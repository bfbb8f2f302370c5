/** At the end of the job: a summary of what each mock was asked, and the end of the server that main.mjs started. */
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Longer than the server takes for requests in flight. */
const STOP_MS = 20_000;
const MOCKS_MAX = 75;
const UNUSED_MAX = 20;
/** Of the 1 MiB that a step may have. */
const SUMMARY_BYTES_MAX = 1_000_000;

const { STATE_pid: pid, STATE_folder: folder, STATE_program: program, STATE_api: apiUrl } = process.env;

if (pid !== undefined) {
  try {
    if (apiUrl !== undefined) appendFileSync(process.env.GITHUB_STEP_SUMMARY, await summary());
  } catch (error) {
    // The job's result is that of its own steps. What the server logged may hold words of requests: none of it is a command.
    const end = `end-of-log-${pid}-${Date.now()}`;
    process.stdout.write(
      `::warning::There is no summary of Switchyard's mocks, its log follows\n::stop-commands::${end}\n`,
    );
    // A step may have emptied the runner's temporary folder.
    const log = join(folder, 'log');
    process.stdout.write(`${error.message}\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}\n::${end}::\n`);
  }
  await stop(Number(pid));
  rmSync(folder, { recursive: true, force: true });
}

async function summary() {
  const { createClient } = await import(pathToFileURL(join(program, 'dist/client.js')).href);
  const { mocks } = createClient({ apiUrl, key: readFileSync(join(folder, 'key'), 'utf8').trim() });
  const { records, total } = await mocks.list({ pageSize: MOCKS_MAX });
  const rows = ['| mock | requests | no route answered | routes not used |', '|---|--:|--:|--:|'];
  const details = [];
  for (const mock of records) {
    const { total: requests, unmatched, routes: counts } = await mocks.counts(mock.id, { sessions: true });
    const unused = await unusedRoutes(mocks, mock, counts);
    rows.push(`| ${plain(mock.name)} | ${requests} | ${unmatched} | ${unused.length} |`);
    const misses = unmatched === 0 ? [] : await missesOf(mocks, mock.id);
    details.push(...list(`${mock.name}: requests that no route answered`, misses, unmatched));
    details.push(...list(`${mock.name}: routes that were not used`, unused.slice(0, UNUSED_MAX), unused.length));
  }
  if (total > records.length) rows.push(`| and ${total - records.length} more mocks | | | |`);
  return shortened(`${['## Switchyard', '', ...rows, '', ...details].join('\n')}\n`);
}

/** A runner drops a summary that is longer. */
function shortened(text) {
  const bytes = Buffer.from(text);
  if (bytes.length <= SUMMARY_BYTES_MAX) return text;
  return `${bytes.subarray(0, bytes.lastIndexOf('\n', SUMMARY_BYTES_MAX)).toString()}\n\nThe rest is left out.\n`;
}

async function unusedRoutes(mocks, { id, version }, counts) {
  const used = new Set(counts.filter(({ count }) => count > 0).map(({ routeId }) => routeId));
  const routes = await mocks.versionRoutes(id, version);
  return routes.filter((route) => route.enabled && !used.has(route.id)).map(({ method, path }) => `${method} ${path}`);
}

/** The newest, without their queries, which may hold secrets. Those of sessions that have ended are counted alone. */
async function missesOf(mocks, id) {
  const { misses = [] } = (await mocks.assertNoMisses(id).catch((error) => error)) ?? {};
  return misses.map(({ request, reason }) => `${request.method} ${request.path}: ${request.status} ${reason}`);
}

function list(title, lines, count) {
  if (count === 0) return [];
  const more = count - lines.length;
  return [
    `### ${plain(title)}`,
    '',
    ...lines.map((line) => `- ${plain(line)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
  ];
}

/** Names and paths are others' words: nothing in them is markup, nor an address that becomes a link. */
function plain(text) {
  return (
    text
      .replaceAll(/[^\p{L}\p{N} /,()-]/gu, (character) => `&#${character.codePointAt(0)};`)
      // Mail addresses are found in what the text becomes.
      .replaceAll('&#64;', '&#64;<!-- -->')
  );
}

async function stop(server) {
  try {
    process.kill(server, 'SIGTERM');
    for (const until = Date.now() + STOP_MS; Date.now() < until; await sleep(50)) process.kill(server, 0);
    process.kill(server, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
