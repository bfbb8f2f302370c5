/** A session with the states of its scenarios. */
import type { FullSessionRecord } from '../../../client/shapes.ts';
import type { ScenarioState } from '../../../model/mocks/behaviour/scenario-state.ts';
import { failureOf } from '../../state/failure.ts';
import { api } from '../../state/session.ts';

export interface SessionView {
  readonly session: FullSessionRecord;
  readonly scenarios: readonly ScenarioState[];
}

const GONE = 404;

/** Uses the session, which so lives on for another `idleMs`: it is not to be polled. @returns null when it does not live. */
export async function loadSession(mockId: string, id: string): Promise<SessionView | null> {
  try {
    const opened = await api().mocks.openSession(mockId, id);
    const [session, scenarios] = await Promise.all([opened.read(), opened.scenarios()]);
    return { session, scenarios };
  } catch (error) {
    if (failureOf(error).status === GONE) return null;
    throw error;
  }
}
