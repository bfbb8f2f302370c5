/**
 * What does not run with `npm test`, or not all of it, for the time that it takes: `npm run prove -- real-sizes` runs the tests of bounds at
 * their real size, and the others at full effort; `npm run check:bench` runs the benchmarks tiny.
 */

/** Whether tests try all that they could, and not what takes a second. */
export const isFullEffort = process.env.TEST_EFFORT === 'full';

/** Of a property: how many random cases are tried. `npm test` tries an eighth of them, and others each time. */
export function runs(full: number): number {
  return isFullEffort ? full : Math.ceil(full / 8);
}

/** Of cases that are listed one by one, one in this many is tried. `npm test` tries a third of them, and others each time. */
export const CASES_STEP = isFullEffort ? 1 : 3;

/** They judge time, of the event loop or by the clock: nothing else runs at the same time. */
export const TIMED: readonly string[] = ['test/real-sizes/load.test.ts'];

/** A folder of what runs at full effort alone: bounds at their real size, and what judges the event loop. */
export const REAL_SIZES = 'test/real-sizes/';

/**
 * Processes are their subject: starts with options, stops and kills, commands, the folder of data between two starts, and what users install:
 * the packed package, its programs and types, the site, the examples and the guides. `npm run test:processes` runs them, as CI does; `npm test`
 * runs what servers answer that many files share.
 */
export const PROCESSES: readonly string[] = [
  'test/action.test.ts',
  'test/api/{mock-serving,service}.test.ts',
  'test/build/{programs,release,site}.test.ts',
  'test/client/{fixture,processes,test-runners,types}.test.ts',
  'test/console/traffic/curl.test.ts',
  'test/contract/{cookies,publishing}.test.ts',
  'test/examples/*.test.ts',
  'test/http/{console,framing,load-watch,origins,rate-limit,tls}.test.ts',
  'test/mcp/{admission,stdio,transports}.test.ts',
  'test/process/*.test.ts',
  'test/serving/{data-plane,hostile,processes,tls}.test.ts',
  'test/store/damage*.test.ts',
  'test/store/formats/*.test.ts',
];

/** They ask `isFullEffort`, or `runs`, how much to try. */
export const FULL_EFFORT: readonly string[] = [
  'test/api/effective-state.test.ts',
  'test/api/groups.test.ts',
  'test/api/service.test.ts',
  'test/base/strict-json.test.ts',
  'test/client/types.test.ts',
  'test/console/traffic/curl.test.ts',
  'test/contract/replies.test.ts',
  'test/contract/stream.test.ts',
  'test/contract/traffic.test.ts',
  'test/contract/try.test.ts',
  'test/http/hostile-bodies.test.ts',
  'test/interchange/damaged.test.ts',
  'test/interchange/moving-back.test.ts',
  'test/interchange/openapi-write.test.ts',
  'test/interchange/openapi.test.ts',
  'test/interchange/requestly.test.ts',
  'test/interchange/schema-sample.test.ts',
  'test/interchange/switchyard.test.ts',
  'test/interchange/unnoticed.test.ts',
  'test/languages/json-path.test.ts',
  'test/languages/json-schema.test.ts',
  'test/languages/templates/parse-template.test.ts',
  'test/model/mocks/old-path.test.ts',
  'test/model/search-rule.test.ts',
  'test/process/cli.test.ts',
  'test/prove/stall/hunt.test.ts',
  'test/rules-table/properties.test.ts',
  'test/rules-table/rule-table.test.ts',
  'test/serving/conformance.test.ts',
  'test/serving/framing.test.ts',
  'test/serving/overlay-conformance.test.ts',
  'test/serving/condition-groups.test.ts',
  'test/serving/templates/bounds.test.ts',
  'test/serving/templates/handlebars.test.ts',
  'test/serving/templates/json-always.test.ts',
  'test/serving/templates/public-mocks.test.ts',
  'test/serving/traffic.test.ts',
  'test/store/damage-anywhere.test.ts',
];

/** Benchmarks whole, with processes of their own. */
export const BENCHMARKS: readonly string[] = [
  'test/bench/api.test.ts',
  'test/bench/commits/compare-commits.test.ts',
  'test/bench/console.test.ts',
  'test/bench/mocks.test.ts',
  'test/bench/start.test.ts',
  'test/bench/stores.test.ts',
  'test/bench/gateway.test.ts',
  'test/bench/upstream.test.ts',
];
