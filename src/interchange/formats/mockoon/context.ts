/** Context that the routes of an environment share. */
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import type { ReportWriter } from '../../report/report.ts';
import type { Bundle } from '../../source/bundle.ts';
import type { Member } from '../../source/member.ts';
import type { Buckets } from './buckets.ts';

export interface RouteContext {
  /** The prefix of every path. */
  readonly prefix: string;
  /** Sent with every response. */
  readonly headers: readonly HeaderLine[];
  readonly buckets: Buckets;
  /** Parameters of the path whose values are lists of segments. */
  readonly wildcards: ReadonlySet<string>;
  /** By their ids. */
  readonly callbacks: ReadonlyMap<unknown, Member>;
  readonly bundle: Bundle;
  readonly report: ReportWriter;
}
