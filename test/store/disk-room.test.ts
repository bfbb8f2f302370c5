/** What there is room for. The disk is the real one: its figures are only compared with ones far above or below them. */
import { beforeEach, expect, test } from 'vitest';
import { DiskRoom, freeBytes, type FileBytes } from '../../src/store/disk-room.ts';
import { temporaryDirectory } from '../support/server.ts';

const SMALL = { bytes: 1_000, entriesCount: 4 };
const HUGE = { bytes: 1e15, entriesCount: 4 };

let directory: string;
let free: number;
beforeEach(() => {
  directory = temporaryDirectory();
  free = freeBytes(directory);
});

function room(reserveBytes: number, file: FileBytes = { used: 1e15, reusable: 0 }): DiskRoom {
  return new DiskRoom(directory, reserveBytes, () => file);
}

test('the reserve is for what frees alone', () => {
  const full = room(2 * free);
  expect(full.has(SMALL, false)).toBe(false);
  expect(full.has(SMALL, true)).toBe(true);
  expect(full.figures.isFull).toBe(true);
  const roomy = room(1);
  expect(roomy.has(SMALL, false)).toBe(true);
  expect(roomy.figures.isFull).toBe(false);
});

test('what is larger than what is free is refused, whatever it does', () => {
  expect(room(1).has(HUGE, false)).toBe(false);
  expect(room(1).has(HUGE, true)).toBe(false);
});

test('without a reserve nothing is refused', () => {
  expect(room(0).has(HUGE, false)).toBe(true);
});

test('what is free within the file counts, but a part of the reserve must be free on the disk', () => {
  const file = { used: 1e15, reusable: 100 * free };
  expect(room(2 * free, file).has(SMALL, false)).toBe(true);
  expect(room(50 * free, file).has(SMALL, false)).toBe(false);
});

test('many entries take no more pages than the file uses', () => {
  const many = { bytes: 1_000, entriesCount: 1e12 };
  expect(room(1).has(many, true)).toBe(false);
  expect(room(1, { used: 1_000, reusable: 0 }).has(many, true)).toBe(true);
});

test('what was submitted counts until it is on the disk', () => {
  const shared = room(1);
  shared.submitted(HUGE);
  expect(shared.has(SMALL, true)).toBe(false);
  shared.durable([HUGE]);
  // Until the disk is looked at again, it has it.
  const until = performance.now() + 5_000;
  while (!shared.has(SMALL, true) && performance.now() < until);
  expect(shared.has(SMALL, true)).toBe(true);
});
