/** What façades do with stubs of either product: reads them by the importer, and weighs what they become. */
import type { JsonObject } from '../../base/json-object.ts';
import { refuse, type Refusal } from '../../errors.ts';
import { isHeavyStub, readStub, type ReadStub, type StubSource } from '../../interchange/stubs/one-stub.ts';
import type { MockRoute } from '../../model/mocks/definition/definition.ts';
import { routeInstructions } from '../../model/mocks/definition/edit-checks.ts';
import type { CompatParts } from './wiremock/question.ts';
import type { NewStub } from './world.ts';

/** @param stub What a client sent, by which its weight is judged. */
interface Sent {
  readonly stub: JsonObject;
  readonly source: StubSource;
}

/** A light one at once, as drafts of routes are; others in the sandbox. */
export async function readSources(
  { limits, readStubs }: Pick<CompatParts, 'limits' | 'readStubs'>,
  ownerId: string,
  sent: readonly Sent[],
): Promise<readonly ReadStub[] | Refusal> {
  const [only, ...others] = sent;
  if (only === undefined) return [];
  if (others.length === 0 && !isHeavyStub(only.stub, only.source)) return [readStub(only.source, limits)];
  const read = await readStubs(
    ownerId,
    sent.map(({ source }) => source),
  );
  return read ?? refuse('badRequest', [{ path: '', message: 'the stubs take too long to read: send fewer at once' }]);
}

/** What a stub is held by. */
export function weightOf(
  route: MockRoute,
  source: JsonObject,
): Pick<NewStub, 'bytes' | 'sourceBytes' | 'instructions'> {
  const bytes = Buffer.byteLength(JSON.stringify(route));
  return { bytes, sourceBytes: Buffer.byteLength(JSON.stringify(source)), instructions: routeInstructions(route) };
}
