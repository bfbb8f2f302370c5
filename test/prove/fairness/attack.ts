/** A process that is one attacker, of one owner or of many: makes what it needs, waits, and goes on until it has to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { attackerOf } from './attackers.ts';
import { RunningLoad, type At, type Load, type Plan, type Ports, type Statuses } from './load.ts';

export interface AttackOrder {
  readonly ports: Ports;
  /** One of each owner. */
  readonly keys: readonly string[];
  /** As `attackerOf` takes it. */
  readonly attacker: number;
}

const statuses: Statuses = {};
let running: RunningLoad[] = [];

process.on('message', (message: AttackOrder | 'go' | 'stop') => {
  if (message === 'go') {
    for (const load of running) void load.run();
  } else if (message === 'stop') {
    for (const load of running) load.stop();
    process.send?.(statuses);
  } else void prepare(message).then(() => process.send?.('prepared'), tellWhy);
});
process.on('disconnect', () => process.exit());

function tellWhy(error: unknown): void {
  process.send?.({ failed: String(error) });
}

async function prepare({ ports, keys, attacker }: AttackOrder): Promise<void> {
  const plan = attackerOf(attacker).plan(ports);
  const owners = await Promise.all(keys.map((key) => own(plan, ports, key)));
  running = owners.flatMap((at) => plan.loads.map((load) => new RunningLoad(load, at, statuses)));
  await Promise.all(running.map((load) => load.prepare()));
}

async function own({ definition, mocks = 1, before = [] }: Plan, ports: Ports, key: string): Promise<At> {
  const ids: string[] = [];
  for (let count = 0; count < mocks; count++) {
    const answer = await fetch(`http://127.0.0.1:${ports.api}/v1/mocks`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'm', start: true, ...definition }),
    });
    const { data, ...refusal } = (await answer.json()) as { data?: { id: string } };
    if (data === undefined) throw new Error(JSON.stringify(refusal).slice(0, 2_000));
    ids.push(data.id);
  }
  const at: At = { ports, key, mocks: ids };
  for (const load of before) await wholly(load, at);
  return at;
}

async function wholly(load: Load, at: At): Promise<void> {
  const counts: Statuses = {};
  const one = new RunningLoad(load, at, counts);
  await Promise.race([one.run(), sleep(BEFORE_MS_MAX)]);
  one.stop();
  const refused = Object.keys(counts).filter((status) => / ?[45]..$/.test(status));
  if (refused.length > 0) throw new Error(`what is to be there before was refused: ${JSON.stringify(counts)}`);
}

/** On a server that does not bear it, an attack has begun by then. */
const BEFORE_MS_MAX = 20_000;
