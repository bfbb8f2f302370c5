/** What WireMock's interface remembers of mocks: shared by owners. */
import { expect, test } from 'vitest';
import { MockStubs } from '../../src/http/compat/mock-world.ts';
import type { Mock } from '../../src/model/mocks/mock.ts';
import type { Principal } from '../../src/model/principal.ts';
import type { OwnerDirectory } from '../../src/owners/owner-directory.ts';

test('what is remembered of one owner stays, however many mocks another has', () => {
  const stubs = new MockStubs({} as OwnerDirectory, async () => true);
  const settingsOf = (id: string, ownerId: string, createdVersion = 1) =>
    stubs.worldOf({ id, createdVersion, saved: { routes: [] } } as unknown as Mock, { ownerId } as Principal)
      .remembered;
  settingsOf('own', 'one').settings = { kept: true };
  for (let count = 0; count < 10_010; count++) settingsOf(`m${count}`, 'two').settings = { kept: true };
  expect(settingsOf('own', 'one').settings).toEqual({ kept: true });
  expect(settingsOf('m10009', 'two').settings).toEqual({ kept: true });
  expect(settingsOf('m0', 'two').settings).toEqual({});
  expect(settingsOf('own', 'one', 2).settings).toEqual({});
});
