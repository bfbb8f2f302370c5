/**
 * `npm run prove`: every proof that needs no root, in a quarter of an hour. `npm run prove -- kill simulation` runs these alone, and
 * `--short` all that can run here, in three to four minutes. `npm run prove -- simulation --seed 1234` runs one seed of a proof again, and
 * tells each step. At full effort those that need root, or minutes, run by their names only. Ends with 1 when a promise did not hold,
 * with 2 when what was named cannot run here. `--postgres` runs what holds of every store over a PostgreSQL server of its own.
 */
import { parseArgs } from 'node:util';
import { findPostgres } from '../postgres/support/find-postgres.ts';
import { PostgresServer } from '../postgres/support/postgres-server.ts';
import { endAll } from '../support/process.ts';
import type { Proof } from './proof.ts';
import { PROOFS, NAMED_PROOFS } from './proofs.ts';
import { runProofs } from './run-proofs.ts';

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    seed: { type: 'string' },
  },
});
const all = [...PROOFS, ...NAMED_PROOFS].filter(({ onEveryStore }) => !values.postgres || onEveryStore === true);
const unknown = names.filter((name) => !all.some((proof) => proof.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `error: no proof${values.postgres ? ' that --postgres runs' : ''} is named ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const byDefault = all.filter((proof) => (values.short ? proof.onlyByName !== true : PROOFS.includes(proof)));
const chosen: readonly Proof[] = names.length > 0 ? all.filter(({ name }) => names.includes(name)) : byDefault;
// Whoever names a proof wants it to run.
for (const { name, unavailable } of names.length > 0 ? chosen : []) {
  const reason = unavailable?.();
  if (reason === undefined) continue;
  process.stderr.write(`error: the proof ${name} cannot run here: ${reason}\n`);
  process.exit(2);
}
if (values.postgres) {
  if (findPostgres() === undefined) {
    process.stderr.write('error: --postgres: no program of PostgreSQL 15 or newer was found\n');
    process.exit(2);
  }
  process.env.TEST_POSTGRES = (await PostgresServer.start()).url();
}
const held =
  values.seed === undefined
    ? await runProofs(chosen, values.short ? 'short' : 'full')
    : await replay(chosen, Number(values.seed));
await endAll();
process.exit(held ? 0 : 1);

/** @returns Whether nothing went wrong. */
async function replay(proofs: readonly Proof[], seed: number): Promise<boolean> {
  const [proof] = proofs;
  if (proofs.length !== 1 || proof?.replay === undefined || !Number.isSafeInteger(seed)) {
    const withSeeds = PROOFS.filter((each) => each.replay !== undefined).map(({ name }) => name);
    process.stderr.write(`error: --seed takes a whole number, after the name of one of: ${withSeeds.join(', ')}\n`);
    return false;
  }
  const violations = await proof.replay(seed, (line) => process.stdout.write(`${line}\n`));
  for (const violation of violations) process.stdout.write(`FAILED ${violation}\n`);
  process.stdout.write(violations.length === 0 ? `seed ${seed}: nothing went wrong\n` : '');
  return violations.length === 0;
}
