/** The statuses of an operation's responses, and which of them a mock answers when nothing else is asked for. */
import type { Code } from '../../report/codes.ts';

export interface Status {
  readonly status: number;
  readonly code?: Code;
}

const CODE = /^[2-5]\d\d$/;
const RANGE = /^([2-5])XX$/i;
const SUCCESS_MAX = 399;

/** @returns For each name of a response its status; undefined where no mock can have it. */
export function statusesOf(names: readonly string[]): readonly (Status | undefined)[] {
  const statuses = names.map((name): Status | undefined => {
    if (CODE.test(name)) return { status: Number(name) };
    const [, hundreds] = RANGE.exec(name) ?? [];
    return hundreds === undefined ? undefined : { status: Number(`${hundreds}00`), code: 'openapi.status-range' };
  });
  // What is said of all other statuses is said of success where no success is declared.
  const hasSuccess = statuses.some((each) => each !== undefined && each.status <= SUCCESS_MAX);
  const other: Status = { status: hasSuccess ? 500 : 200, code: 'openapi.default-status' };
  return statuses.map((each, index) => (names[index] === 'default' ? other : each));
}

/** @returns The index of the first with the lowest successful status; else of the first. */
export function mainIndex(statuses: readonly number[]): number {
  let main = 0;
  for (const [index, status] of statuses.entries()) if (rank(status) < rank(statuses[main] as number)) main = index;
  return main;
}

function rank(status: number): number {
  return status <= SUCCESS_MAX ? status : SUCCESS_MAX + 1;
}
