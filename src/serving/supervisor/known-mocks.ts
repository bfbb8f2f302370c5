/** Sends a new child the ids of the mocks that exist. */
import type { Child } from '../../children/child-process.ts';
import type { ApiToProcess } from '../shared/messages.ts';
import type { DataPlaneOptions } from './data-plane-options.ts';

/** Mock ids sent to a new child process in one message: a million in one would block both event loops. */
const KNOWN_MOCKS_PER_MESSAGE = 5_000;

/** Until all ids are sent, the child asks for every mock it does not know. @param isCurrent Whether it is still the one that serves. */
export async function sendKnown(
  child: Child<ApiToProcess>,
  directory: DataPlaneOptions['directory'],
  isCurrent: () => boolean,
): Promise<void> {
  const known = await directory();
  if (known === undefined) return;
  let mockIds: string[] = [];
  for (const { mockId } of known) {
    mockIds.push(mockId);
    if (mockIds.length < KNOWN_MOCKS_PER_MESSAGE) continue;
    child.send({ kind: 'known', mockIds, complete: false });
    mockIds = [];
    await new Promise(setImmediate);
    if (!isCurrent()) return;
  }
  child.send({ kind: 'known', mockIds, complete: true });
}
