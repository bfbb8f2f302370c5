/** The metrics of the gateway: of all owners together, since its process started. */
import type PromClient from 'prom-client';
import type { Registry } from 'prom-client';
import type { GatewayFigures } from '../egress/process/questions.ts';

/** @param read Undefined without a gateway, and while it restarts. */
export function registerGatewayMetrics(
  { Counter, Gauge }: typeof PromClient,
  registry: Registry,
  read: () => Promise<GatewayFigures | undefined>,
): void {
  let query: Promise<GatewayFigures | undefined> | undefined;
  /** One query for all metrics of a scrape. */
  const figures = (): Promise<GatewayFigures | undefined> => {
    query ??= read().finally(() => {
      query = undefined;
    });
    return query;
  };
  const registers = [registry];
  const counts = (name: string, help: string, labelNames: readonly string[], add: AddCounts): void => {
    new Counter({
      name: `switchyard_gateway_${name}`,
      help,
      labelNames: [...labelNames],
      registers,
      async collect() {
        const found = await figures();
        this.reset();
        if (found !== undefined) add(found, (labels, value) => this.inc(labels, value));
      },
    });
  };
  const gauge = (name: string, help: string, value: (found: GatewayFigures) => number): void => {
    new Gauge({
      name: `switchyard_gateway_${name}`,
      help,
      registers,
      async collect() {
        const found = await figures();
        this.set(found === undefined ? 0 : value(found));
      },
    });
  };
  counts(
    'exchanges_total',
    'Exchanges of the gateway, by `outcome`, since the start of its process.',
    ['outcome'],
    ({ counts: { outcomes } }, add) => {
      for (const [outcome, count] of Object.entries(outcomes)) add({ outcome }, count);
    },
  );
  counts('rule_hits_total', 'Rules that acted, each once for each exchange.', [], (found, add) =>
    add({}, found.counts.ruleHits),
  );
  counts('skipped_total', 'Rules that matched and did not act, by `reason`.', ['reason'], (found, add) => {
    for (const [reason, count] of Object.entries(found.counts.skipped)) add({ reason }, count);
  });
  counts('problems_total', 'Exchanges whose upstream did not answer, by `kind`.', ['kind'], (found, add) => {
    for (const [kind, count] of Object.entries(found.counts.problems)) add({ kind }, count);
  });
  counts(
    'code_calls_total',
    'Calls of the code of rules, by `result`: ok, codeFailed, codeTooLong.',
    ['result'],
    ({ code }, add) => {
      for (const [result, count] of Object.entries(code?.calls ?? {})) add({ result }, count);
    },
  );
  counts(
    'code_ends_total',
    'How often code of a rule ended what code runs in, by `what`: generation (all contexts), thread.',
    ['what'],
    ({ code }, add) => {
      for (const [what, count] of Object.entries(code?.ends ?? {})) add({ what }, count);
    },
  );
  gauge('in_flight', 'Exchanges under way.', ({ inFlight }) => inFlight);
  gauge('connections', 'Open connections to the gateway.', ({ connections }) => connections);
  gauge('leafs', 'Host certificates in memory.', ({ leafs }) => leafs);
  gauge('tables_bytes', 'Estimated memory of the rules of the gateway.', ({ tablesBytes }) => tablesBytes);
}

type AddCounts = (found: GatewayFigures, add: (labels: Record<string, string>, value: number) => void) => void;
