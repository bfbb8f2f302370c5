/** Responses in front of the others of a route, which refuse requests without what an operation requires. */
import type { ReadResponse, ReadRule } from '../../format.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { Reading } from './members.ts';
import { challengesOf, type Refusing } from './request.ts';

interface Refusals {
  readonly required: Refusing;
  readonly security: Refusing;
}

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;

/** A response that the document declares for such a request is taken, with its rules; else one is made. */
export function withRefusals(
  responses: readonly ReadResponse[],
  { required, security }: Refusals,
  operation: Member,
  { options, report }: Reading,
): readonly ReadResponse[] {
  if (options.validate !== true) return responses;
  const [main, ...others] = responses;
  if (main === undefined) return responses;
  let rest: readonly ReadResponse[] = others;
  const front: ReadResponse[] = [];
  for (const [status, message, { rules, rulesOperator }] of [
    [UNAUTHORIZED, 'A credential is missing', security],
    [BAD_REQUEST, 'A required parameter or the body is missing', required],
  ] as const) {
    if (rules.length === 0) continue;
    const declared = rest.find((each) => each.status === status);
    rest = rest.filter((each) => each !== declared);
    const answer = declared ?? made(status, message, operation, report.item('response'));
    front.push({ ...answer, ...challenging(answer, rules), rules, rulesOperator });
  }
  return [...front, main, ...rest];
}

/** HTTP asks for it in a 401, and clients look for the scheme there. */
function challenging({ headers = [] }: ReadResponse, rules: readonly ReadRule[]): Pick<ReadResponse, 'headers'> {
  if (headers.some(({ name }) => name.toLowerCase() === 'www-authenticate')) return { headers };
  return { headers: [...headers, ...challengesOf(rules).map((value) => ({ name: 'WWW-Authenticate', value }))] };
}

function made(status: number, message: string, operation: Member, item: Item): ReadResponse {
  item.note('openapi.validation', operation, String(status));
  const headers = [{ name: 'Content-Type', value: 'application/json' }];
  return { item, label: message, status, headers, body: JSON.stringify({ message }) };
}
