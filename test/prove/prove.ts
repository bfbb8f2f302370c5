/**
 * `npm run prove`: every proof that needs no root, in under ten minutes. `npm run prove -- kill simulation` runs these alone, and
 * `--short` the form that the tests run. Ends with 1 when a promise did not hold.
 */
import { endAll } from '../support/process.ts';
import type { Proof } from './proof.ts';
import { PROOFS } from './proofs.ts';
import { runProofs } from './run-proofs.ts';

const names = process.argv.slice(2).filter((argument) => argument !== '--short');
const unknown = names.filter((name) => !PROOFS.some((proof) => proof.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `error: no proof is named ${unknown.join(', ')}; there are ${PROOFS.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const chosen: readonly Proof[] = names.length > 0 ? PROOFS.filter(({ name }) => names.includes(name)) : PROOFS;
const held = await runProofs(chosen, process.argv.includes('--short') ? 'short' : 'full');
await endAll();
process.exit(held ? 0 : 1);
