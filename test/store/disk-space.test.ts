/**
 * Which writes have enough space. Uses the real disk: its figures are compared only with values far above or below
 * them.
 */
import { beforeEach, expect, test } from 'vitest';
import { DiskSpace, freeBytes, type FileBytes } from '../../src/store/disk-space.ts';
import { temporaryDirectory } from '../support/server.ts';

const SMALL = { bytes: 1_000, entriesCount: 4 };
const HUGE = { bytes: 1e15, entriesCount: 4 };

let directory: string;
let free: number;
beforeEach(() => {
  directory = temporaryDirectory();
  free = freeBytes(directory);
});

function spaceWith(reserveBytes: number, file: FileBytes = { used: 1e15, reusable: 0 }): DiskSpace {
  return new DiskSpace(directory, reserveBytes, () => file);
}

test('only writes that free space may use the reserve', () => {
  const full = spaceWith(2 * free);
  expect(full.has(SMALL, false)).toBe(false);
  expect(full.has(SMALL, true)).toBe(true);
  expect(full.figures.isFull).toBe(true);
  const spacious = spaceWith(1);
  expect(spacious.has(SMALL, false)).toBe(true);
  expect(spacious.figures.isFull).toBe(false);
});

test('a write larger than the free space is always refused', () => {
  expect(spaceWith(1).has(HUGE, false)).toBe(false);
  expect(spaceWith(1).has(HUGE, true)).toBe(false);
});

test('without a reserve nothing is refused', () => {
  expect(spaceWith(0).has(HUGE, false)).toBe(true);
});

// reaches DISK_FLOOR_BYTES
test('free space within the file counts, but part of the reserve must be free on the disk', () => {
  const file = { used: 1e15, reusable: 100 * free };
  expect(spaceWith(2 * free, file).has(SMALL, false)).toBe(true);
  expect(spaceWith(50 * free, file).has(SMALL, false)).toBe(false);
});

test('many entries take no more pages than the file uses', () => {
  const many = { bytes: 1_000, entriesCount: 1e12 };
  expect(spaceWith(1).has(many, true)).toBe(false);
  expect(spaceWith(1, { used: 1_000, reusable: 0 }).has(many, true)).toBe(true);
});

test('submitted writes count until they are on the disk', () => {
  const shared = spaceWith(1);
  shared.submitted(HUGE);
  expect(shared.has(SMALL, true)).toBe(false);
  shared.durable([HUGE]);
  // The write still counts until the next sample of the disk.
  const until = performance.now() + 5_000;
  while (!shared.has(SMALL, true) && performance.now() < until);
  expect(shared.has(SMALL, true)).toBe(true);
});
