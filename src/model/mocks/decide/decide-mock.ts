/**
 * Decides commands on a mock as a whole: creation, name, state, saves, deletion. Edits of its working copy:
 * decide-staged.ts.
 *
 * Only a save, a start, a stop or a deletion changes what is served. The order of checks follows docs/api.md, "Order
 * of checks".
 */
import { isRefusal, refuse, refuseLimit, type Refusal } from '../../../errors.ts';
import { MOCK_VERSIONS_MAX } from '../../../limits.ts';
import type { Command, CommandContext, QueryContext } from '../../command.ts';
import { ifMatchHolds } from '../../precondition.ts';
import { ownedByAnother } from '../../find-record.ts';
import type { OwnerState } from '../../owner-state.ts';
import { createdStamps, modifiedStamps, type Stamps } from '../../stamps.ts';
import { findEditableMock } from './find-mock.ts';
import { newMockId } from '../mock-id.ts';
import { newRevision, savedVersionOf, type Mock, type MockState, type RouteRevision } from '../mock.ts';
import type { MockDraft, MockName } from '../definition/mock-payload.ts';
import { writeMock } from './write-mock.ts';

export interface MockInput {
  readonly mockId: string;
  readonly ifMatch: string | undefined;
}

interface NewMock {
  readonly mock: Mock;
  readonly routes: readonly RouteRevision[];
}

export const createMock: Command<{ draft: MockDraft | Refusal }, Mock> = {
  name: 'mock.create',
  decide(state, { draft }, context) {
    if (isRefusal(draft)) return draft;
    const taken = refuseTaken(state, draft.id, context);
    if (taken !== undefined) return taken;
    const { mocksPerOwnerMax } = context.limits.mocks;
    if (state.mocks.count >= mocksPerOwnerMax) return refuseLimit(`${mocksPerOwnerMax} mocks per owner`);
    const { mock, routes } = newMock(draft, createdStamps(context), context);
    return writeMock(state, undefined, mock, routes, context);
  },
};

/** The same refusal if another owner has the id: nobody learns which mocks others have. */
export function refuseTaken(state: OwnerState, id: string | undefined, context: QueryContext): Refusal | undefined {
  if (id === undefined) return undefined;
  const isTaken = state.mocks.get(id) !== undefined || ownedByAnother(state, id, context);
  return isTaken ? refuse('mockIdTaken', [{ path: '/id', message: 'is already the id of a mock' }]) : undefined;
}

/** A mock that is saved as version 1, and its routes. */
export function newMock(draft: MockDraft, stamps: Stamps, { date, version, principal }: CommandContext): NewMock {
  const { id = newMockId(), name, description, start, definition } = draft;
  const { settings } = definition;
  const routes = definition.routes.map((route, index) => newRevision(index + 1, route));
  const copy = { settings, routes };
  const revisions = routes.map(({ revision }) => revision);
  const mock: Mock = {
    id,
    name,
    description,
    state: start ? 'running' : 'stopped',
    file: null,
    staged: copy,
    stagedVersion: version,
    saved: copy,
    versions: [{ number: 1, savedAt: date, savedBy: principal.userId, settings, revisions }],
    nextRevision: routes.length + 1,
    kept: new Map(),
    keptBytes: 0,
    ...stamps,
  };
  return { mock, routes };
}

export const updateMock: Command<MockInput & { named: MockName | Refusal }, Mock> = {
  name: 'mock.update',
  decide(state, { mockId, named, ifMatch }, context) {
    const mock = findEditableMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (isRefusal(named)) return named;
    if (!ifMatchHolds(ifMatch, mock.modifiedVersion)) return refuse('preconditionFailed');
    return writeMock(state, mock, { ...mock, ...named, ...modifiedStamps(context) }, [], context);
  },
};

/** Idempotent: a mock that already has the state stays as it is. */
export function setMockState(to: MockState): Command<MockInput, Mock> {
  return {
    name: to === 'running' ? 'mock.start' : 'mock.stop',
    decide(state, { mockId, ifMatch }, context) {
      const mock = findEditableMock(state, mockId, context);
      if (isRefusal(mock)) return mock;
      if (!ifMatchHolds(ifMatch, mock.modifiedVersion)) return refuse('preconditionFailed');
      if (mock.state === to) return { changes: [], answer: mock };
      return writeMock(state, mock, { ...mock, state: to, ...modifiedStamps(context) }, [], context);
    },
  };
}

export const deleteMock: Command<MockInput, Mock> = {
  name: 'mock.delete',
  frees: true,
  decide(state, { mockId, ifMatch }, context) {
    const mock = findEditableMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (!ifMatchHolds(ifMatch, mock.modifiedVersion)) return refuse('preconditionFailed');
    return { changes: [{ kind: 'removeMock', mock, revisions: [...mock.kept.keys()] }], answer: mock };
  },
};

/**
 * The working copy becomes the next version. `If-Match` applies to the working copy: it prevents a save of another
 * editor's changes.
 */
export const saveMock: Command<MockInput, Mock> = {
  name: 'mock.save',
  decide(state, { mockId, ifMatch }, context) {
    const mock = findEditableMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (!ifMatchHolds(ifMatch, mock.stagedVersion)) return refuse('preconditionFailed');
    const { settings, routes } = mock.staged;
    const revisions = routes.map(({ revision }) => revision);
    const number = savedVersionOf(mock).number + 1;
    const version = { number, savedAt: context.date, savedBy: context.principal.userId, settings, revisions };
    const versions = [...mock.versions, version].slice(-MOCK_VERSIONS_MAX);
    return writeMock(state, mock, { ...mock, saved: mock.staged, versions }, [], context);
  },
};
