/**
 * The benchmark of the API: `npm run bench:api`, with the names of groups for these alone, with `-- --tiny` for a run of seconds that
 * only shows that all of it works.
 *
 * Every figure is a ratio within one run, since absolute figures of one machine say little about another and, with few cores,
 * little about the next minute. Nothing fails on a figure: a reader judges. What is compared, and the aims, are in api/, a file
 * for each group of rows; how rounds are run is in compare.ts; the limit that the service is held against is raw-server.ts.
 */
import { GROUPS } from './api/groups.ts';
import { FULL, TINY } from './api/plan.ts';
import { printTable, type Row } from './table.ts';

const NOTES = `measured  the service
against   what the row says; raw: a uWebSockets.js app with the same replies and the same durable puts
ratio     median over pairs of rounds; of requests/s measured to against, of CPU against to measured: more is better.
          Of memory and times, measured to against: less is better
rounds    lowest and highest ratio of any pair of rounds
busy      CPU seconds per second of both servers; well below 100 %, the load generator was the limit, and CPU tells more`;

const options = process.argv.slice(2);
const plan = options.includes('--tiny') ? TINY : FULL;
const named = options.filter((option) => !option.startsWith('--'));
const rows: Row[] = [];
for (const { TITLE, measure } of GROUPS) {
  if (named.length > 0 && !named.includes(TITLE)) continue;
  console.error(`${TITLE} ...`);
  rows.push(...(await measure(plan)));
}
printTable(rows, NOTES);
// The load generator and whatever else is left ends with this process.
process.exit();
