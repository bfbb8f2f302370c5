/** The stubs of a mock itself, durable: each change is a saved version, which is served before it is answered. */
import { LargestFirst } from '../../base/largest-first.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal, refuseLimit, type Refusal } from '../../errors.ts';
import { changeStubs, priorityOf, type StubsChange } from '../../model/mocks/decide/decide-stubs.ts';
import { savedVersionOf, type Mock, type MockCopy, type RouteRevision } from '../../model/mocks/mock.ts';
import { readMock } from '../../model/mocks/show/query-mock.ts';
import type { Principal } from '../../model/principal.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { bytesOfFiles, newRemembered, stubIdOf, type ClientState, type Stub, type World } from './world.ts';

/** Kept while the server runs: what was hidden and set, and which version the interface has made. */
interface OfMock {
  readonly ownerId: string;
  readonly createdVersion: number;
  readonly remembered: ClientState;
  lastVersion: number | undefined;
}

const REMEMBERED_MAX = 10_000;
/** Files of all mocks of an owner: they are in memory alone. */
const ALL_FILES_BYTES_MAX = 67_108_864;

export class MockStubs {
  readonly #owners: OwnerDirectory;
  readonly #publish: (mockId: string) => Promise<boolean>;
  readonly #ofMocks = new Map<string, OfMock>();
  /** How many there are of each owner. */
  readonly #shares = new LargestFirst<string>();

  constructor(owners: OwnerDirectory, publish: (mockId: string) => Promise<boolean>) {
    this.#owners = owners;
    this.#publish = publish;
  }

  worldOf(mock: Mock, caller: Principal): World {
    const ofMock = this.#ofMock(mock, caller.ownerId);
    const { stubs, byId } = stubsOf(mock.saved);
    const change = (given: Partial<StubsChange>): Promise<boolean | Refusal> => {
      const none = { mockId: mock.id, put: [], scenarios: [], removed: new Set<string>() };
      return this.#change({ ...none, replaces: ofMock.lastVersion, ...given }, ofMock, caller);
    };
    return {
      remembered: ofMock.remembered,
      stubs,
      get: (id) => byId.get(id.toLowerCase()),
      put: (given, isRemoved = () => false) =>
        change({
          removed: new Set(stubs.filter(isRemoved).map(({ route }) => route.id)),
          put: given.map(({ route, source }) => ({ ...route, stub: source })),
          scenarios: given.flatMap(({ scenarios }) => scenarios),
        }),
      remove: async (isRemoved) => {
        const removed = new Set(stubs.filter(isRemoved).map(({ route }) => route.id));
        return removed.size === 0 ? true : change({ removed });
      },
      setFiles: (files) => this.#setFiles(files, ofMock, caller),
      setLatency: (latency) => change({ latency }),
    };
  }

  async #change(input: StubsChange, ofMock: OfMock, caller: Principal): Promise<boolean | Refusal> {
    const changed = await this.#owners.change(changeStubs, input, caller);
    if (isRefusal(changed)) return changed;
    ofMock.lastVersion = savedVersionOf(changed).number;
    return this.#publish(changed.id);
  }

  async #setFiles(
    files: ClientState['files'],
    { ownerId, remembered }: OfMock,
    caller: Principal,
  ): Promise<true | Refusal> {
    const before = remembered.files;
    remembered.files = files;
    const bytes = bytesOfFiles(files);
    const isTooMuch = (): boolean => {
      let sum = 0;
      for (const each of this.#ofMocks.values())
        if (each.ownerId === ownerId) sum += Number(bytesOfFiles(each.remembered.files));
      return sum > ALL_FILES_BYTES_MAX;
    };
    if (!isRefusal(bytes)) {
      if (isTooMuch()) await this.#forgetDeleted(caller);
      if (!isTooMuch()) return true;
    }
    remembered.files = before;
    return isRefusal(bytes) ? bytes : refuseLimit(`${ALL_FILES_BYTES_MAX} bytes of files in all mocks`);
  }

  async #forgetDeleted(caller: Principal): Promise<void> {
    for (const [mockId, { ownerId, createdVersion }] of this.#ofMocks) {
      if (ownerId !== caller.ownerId) continue;
      const found = await this.#owners.ask(readMock, { mockId }, caller);
      if (isRefusal(found) || found.createdVersion !== createdVersion) this.#forget(mockId);
    }
  }

  #ofMock({ id, createdVersion }: Mock, ownerId: string): OfMock {
    const known = this.#ofMocks.get(id);
    if (known?.createdVersion === createdVersion) return known;
    this.#forget(id);
    if (this.#ofMocks.size >= REMEMBERED_MAX) this.#forgetOldest();
    const made = { ownerId, createdVersion, remembered: newRemembered(), lastVersion: undefined };
    this.#ofMocks.set(id, made);
    this.#shares.change(ownerId, 1);
    return made;
  }

  #forget(id: string): void {
    const ofMock = this.#ofMocks.get(id);
    if (ofMock !== undefined) this.#shares.change(ofMock.ownerId, -1);
    this.#ofMocks.delete(id);
  }

  /** Takes it from the owner that has most. */
  #forgetOldest(): void {
    const largest = this.#shares.largest();
    for (const [id, { ownerId }] of this.#ofMocks) if (ownerId === largest) return this.#forget(id);
  }
}

interface StubsOfMock {
  readonly stubs: readonly Stub[];
  readonly byId: ReadonlyMap<string, Stub>;
}

/** Copies of mocks are immutable, and share their unchanged routes. */
const ofCopies = new WeakMap<MockCopy, StubsOfMock>();
const ofRoutes = new WeakMap<RouteRevision, Stub>();

function stubsOf(saved: MockCopy): StubsOfMock {
  const known = ofCopies.get(saved);
  if (known !== undefined) return known;
  const stubs = saved.routes.flatMap((each) => (each.route.stub === undefined ? [] : stubOf(each, each.route.stub)));
  const made = { stubs, byId: new Map(stubs.map((stub) => [stub.id, stub])) };
  ofCopies.set(saved, made);
  return made;
}

function stubOf(revision: RouteRevision, source: JsonObject): Stub {
  const known = ofRoutes.get(revision);
  if (known !== undefined) return known;
  const { route, bytes } = revision;
  const { stub: _itsSource, ...own } = route;
  const named = { id: stubIdOf(route.id), source, priority: priorityOf(route), route: own };
  const made = { ...named, scenarios: [], approximated: [], bytes, sourceBytes: 0, instructions: 0, number: 0 };
  ofRoutes.set(revision, made);
  return made;
}
