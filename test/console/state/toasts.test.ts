import { beforeEach, expect, test } from 'vitest';
import { notify, toasts } from '../../../src/console/state/toasts.ts';

beforeEach(() => {
  toasts.value = [];
});

const texts = (): readonly string[] => toasts.value.map(({ text }) => text);

test('a message takes the place of the one before it, which may be past', () => {
  notify('Route added to the working copy. Save to serve it.');
  notify('Saved as version 2.');
  expect(texts()).toEqual(['Saved as version 2.']);
});

test('what can be undone stays beside a newer message', () => {
  notify('Deleted the route.', { label: 'Undo', run: () => undefined });
  notify('Saved as version 2.');
  expect(texts()).toEqual(['Deleted the route.', 'Saved as version 2.']);
});
