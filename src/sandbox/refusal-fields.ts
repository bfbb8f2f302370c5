/** A refusal between threads: as its fields, since objects lose their class on the way. */
import { Refusal, type Detail, type RefusalKind } from '../errors.ts';

export interface RefusalFields {
  readonly kind: RefusalKind;
  readonly details: readonly Detail[] | undefined;
  readonly reason: string | undefined;
}

export function fieldsOf({ kind, details, reason }: Refusal): RefusalFields {
  return { kind, details, reason };
}

export function refusalOfFields({ kind, details, reason }: RefusalFields): Refusal {
  return new Refusal(kind, details, reason);
}
