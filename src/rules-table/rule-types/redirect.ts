/** Replaces the requested URL by another one. */
import { RULE_URL_CHARS_MAX } from '../../limits.ts';
import { excerpt } from '../../base/excerpt.ts';
import { fillGroups, hasGroups } from '../expand-groups.ts';
import type { Stage } from '../stage.ts';
import { parseUrl, type WireUrl } from '../wire-url.ts';
import { changeUrl } from './change-url.ts';
import type { RuleKind } from './rule-kind.ts';

interface Redirect {
  readonly destination: string;
  /**
   * Whether the destination is a file on the server's machine. A shared server must not read files for its clients unless
   * it is configured to.
   */
  readonly isFile: boolean;
  readonly hasGroups: boolean;
}

export const redirect: RuleKind<Redirect> = {
  phases: ['url'],
  acting: 'each',
  normalise: ({ destination, destinationType }) => ({
    destination: String(destination),
    isFile: destinationType === 'map_local',
    hasGroups: hasGroups(String(destination)),
  }),
  apply(shape, stage) {
    const target = shape.isFile ? undefined : targetOf(shape, stage);
    return target !== undefined && changeUrl(stage, target);
  },
  explain(shape, stage) {
    const { destination, isFile } = shape;
    if (isFile)
      return {
        reason: 'filesOff',
        expected: 'a destination that is a URL: this server reads no files',
        actual: excerpt(destination),
      };
    const text = textOf(shape, stage);
    if (text !== undefined && parseUrl(text) !== undefined) {
      return { reason: 'noChange', expected: 'another URL', actual: excerpt(stage.url.text) };
    }
    const expected = `an http or https URL of at most ${RULE_URL_CHARS_MAX} characters`;
    return { reason: 'destinationInvalid', expected, actual: excerpt(text ?? destination) };
  },
};

function targetOf(shape: Redirect, stage: Stage): WireUrl | undefined {
  const text = textOf(shape, stage);
  return text === undefined ? undefined : parseUrl(text);
}

function textOf({ destination, hasGroups: asks }: Redirect, { groups, budget }: Stage): string | undefined {
  return asks ? fillGroups(destination, groups(), RULE_URL_CHARS_MAX, budget) : destination;
}
