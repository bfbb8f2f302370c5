/** The rows of the list of routes. */
import { expect, test } from 'vitest';
import {
  filterRows,
  groupRows,
  markRoutes,
  moveBefore,
  type ListedRoute,
} from '../../../src/console/mocks/routes/route-rows.ts';

const route = (id: string, given: Partial<ListedRoute> = {}): ListedRoute => ({
  id,
  method: 'GET',
  path: `/${id}`,
  enabled: true,
  selection: 'rules',
  revision: 1,
  responses: [{ id: `${id}1`, status: 200 }],
  ...given,
});

const shown = (marked: ReturnType<typeof markRoutes>): string[] =>
  marked.rows.map(({ route: { id }, mark }) => `${id} ${mark ?? ''}`.trim());

test('a route is added, changed or removed against the saved version; a removed one stands at its old place', () => {
  const saved = [route('a'), route('b'), route('c'), route('d')];
  const marked = markRoutes([route('a'), route('c', { revision: 7 }), route('e'), route('d')], saved);
  expect(shown(marked)).toEqual(['a', 'b removed', 'c changed', 'e added', 'd']);
  expect(marked).toMatchObject({ added: 1, changed: 1, removed: 1, isReordered: false });
});

test('removed routes at the beginning, and all of them', () => {
  expect(shown(markRoutes([route('b')], [route('a'), route('b')]))).toEqual(['a removed', 'b']);
  expect(shown(markRoutes([], [route('a'), route('b')]))).toEqual(['a removed', 'b removed']);
});

test('an order that has changed is told, whatever was added or removed', () => {
  const saved = [route('a'), route('b'), route('c')];
  expect(markRoutes([route('c'), route('a')], saved).isReordered).toBe(true);
  expect(markRoutes([route('x'), route('a'), route('c')], saved).isReordered).toBe(false);
});

test('without a saved version nothing is marked', () => {
  expect(shown(markRoutes([route('a')], undefined))).toEqual(['a']);
});

test('each word of a filter stands in method, path, labels, statuses or "off"', () => {
  const { rows } = markRoutes(
    [
      route('users', { method: 'POST', responses: [{ id: '1', label: 'Not Found', status: 404 }] }),
      route('old', { enabled: false }),
    ],
    undefined,
  );
  const found = (filter: string): string[] => filterRows(rows, filter).map((row) => row.route.id);
  expect(found('')).toEqual(['users', 'old']);
  expect(found('post not 404')).toEqual(['users']);
  expect(found('OLD')).toEqual(['old']);
  expect(found('off')).toEqual(['old']);
  expect(found('post 200')).toEqual([]);
});

test('groups are by the first segment, in the order of their first route; a closed one hides its routes', () => {
  const { rows } = markRoutes(
    [route('1', { path: '/users' }), route('2', { path: '/' }), route('3', { path: '/users/:id' })],
    undefined,
  );
  const text = (closed: string[]): string[] =>
    groupRows(rows, new Set(closed)).map((row) => (row.kind === 'group' ? `${row.name} ${row.count}` : row.route.id));
  expect(text([])).toEqual(['/users 2', '1', '3', '/ 1', '2']);
  expect(text(['/users'])).toEqual(['/users 2', '/ 1', '2']);
});

test('an id is moved before another, or to the end', () => {
  expect(moveBefore(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b']);
  expect(moveBefore(['a', 'b', 'c'], 'a', 'c')).toEqual(['b', 'a', 'c']);
  expect(moveBefore(['a', 'b', 'c'], 'a', undefined)).toEqual(['b', 'c', 'a']);
});
