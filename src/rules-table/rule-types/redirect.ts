/** Puts another URL in the place of the one that is asked for. */
import { RULE_URL_CHARS_MAX } from '../../limits.ts';
import { excerpt } from '../excerpt.ts';
import { fillGroups, hasGroups } from '../expand-groups.ts';
import type { Stage } from '../stage.ts';
import { parseUrl, type WireUrl } from '../wire-url.ts';
import { changeUrl } from './change-url.ts';
import type { RuleKind } from './rule-kind.ts';

interface Redirect {
  readonly destination: string;
  /** A file of the server's machine: never read for a client of a shared server unless it is told to. */
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
    if (isFile) return { reason: 'filesOff', expected: 'a server that serves files', actual: excerpt(destination) };
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
