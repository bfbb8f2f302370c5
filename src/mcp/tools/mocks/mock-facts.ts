/** What tools say of a mock, and of what a save of it would change. */
import type { MockRecord } from '../../../client/shapes.ts';
import type { StagedDiff } from '../../../model/mocks/show/diff.ts';
import type { Answered, Api } from '../../api.ts';

/** A mock in a few words. */
export function factsOf({ id, name, state, url, version, routeCount, hasStagedChanges, file }: MockRecord): object {
  return {
    id,
    name,
    state,
    url,
    version,
    routeCount,
    ...(hasStagedChanges ? { hasStagedChanges } : {}),
    ...(file === null ? {} : { file }),
  };
}

export function readMock(api: Api, mockId: string): Promise<Answered<MockRecord>> {
  return api.get<MockRecord>(['mocks', mockId]);
}

export function readDiff(api: Api, mockId: string): Promise<Answered<StagedDiff>> {
  return api.get<StagedDiff>(['mocks', mockId, 'staged', 'diff']);
}

/** After an edit of the working copy: what a save would change by now. */
export async function stagedAnswer(api: Api, mockId: string, done: object): Promise<object> {
  const { data } = await readDiff(api, mockId);
  return {
    ...done,
    staged: briefly(data),
    next: 'Nothing served has changed: mocks_diff shows all of it, mocks_save serves it.',
  };
}

/** Without what did not change. */
export function briefly(diff: StagedDiff): object {
  const entries = Object.entries(diff).filter(
    ([, value]) => value !== false && !(Array.isArray(value) && value.length === 0),
  );
  return entries.length === 0 ? { nothing: 'the working copy is what is saved' } : Object.fromEntries(entries);
}
