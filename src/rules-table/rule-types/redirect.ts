/** Replaces the requested URL by another one, or answers with a file of the server. */
import { RULE_URL_CHARS_MAX } from '../../limits.ts';
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../../base/excerpt.ts';
import { isTextType, mediaTypeOf } from '../../base/media-types.ts';
import { fillText, mayFill } from '../expand-groups.ts';
import { fileMiss, filePathOf, FILES_OFF } from '../rule-file.ts';
import type { Answer, Stage } from '../stage.ts';
import { parseUrl, type WireUrl } from '../wire-url.ts';
import { changeUrl } from './change-url.ts';
import { crossOriginLines } from './cross-origin.ts';
import { noteAnswer } from './note-answer.ts';
import type { RuleKind } from './rule-kind.ts';

interface Redirect {
  readonly destination: string;
  /** A mock may be named by its id, with a path behind it. */
  readonly leadsTo: 'url' | 'mock' | 'file';
  readonly mayFill: boolean;
}

export const redirect: RuleKind<Redirect> = {
  phases: ['url'],
  acting: 'each',
  normalise: ({ destination, destinationType }) => ({
    destination: String(destination),
    leadsTo: destinationType === 'map_local' ? 'file' : destinationType === 'mock_or_file_picker' ? 'mock' : 'url',
    mayFill: mayFill(String(destination)),
  }),
  apply(shape, stage) {
    if (shape.leadsTo === 'file') return serveFile(shape, stage);
    const target = targetOf(shape, stage);
    return target !== undefined && changeUrl(stage, target);
  },
  explain(shape, stage) {
    const { destination, leadsTo } = shape;
    const text = textOf(shape, stage);
    if (leadsTo === 'file') {
      if (!stage.readsFiles) return { reason: 'filesOff', expected: FILES_OFF, actual: excerpt(destination) };
      const path = text === undefined ? undefined : filePathOf(text);
      const found = path === undefined ? undefined : stage.fileAt(path);
      const problem = found !== undefined && 'problem' in found ? found.problem : 'is not the path of a file';
      return fileMiss(text ?? destination, problem);
    }
    if (text !== undefined && parseUrl(text) !== undefined) {
      return { reason: 'noChange', expected: 'another URL', actual: excerpt(stage.url.text) };
    }
    const expected = `an http or https URL of at most ${RULE_URL_CHARS_MAX} characters`;
    return { reason: 'destinationInvalid', expected, actual: excerpt(text ?? destination) };
  },
  readsFile: ({ leadsTo }) => leadsTo === 'file',
};

function targetOf(shape: Redirect, stage: Stage): WireUrl | undefined {
  const text = textOf(shape, stage);
  return text === undefined ? undefined : parseUrl(text);
}

function textOf({ destination, leadsTo, mayFill: asks }: Redirect, stage: Stage): string | undefined {
  const { groups, budget, options } = stage;
  const text = asks ? fillText(destination, groups, stage, RULE_URL_CHARS_MAX, budget) : destination;
  const [, mockId, path = ''] = (leadsTo === 'mock' && /^([a-z][a-z0-9]*)(\/.*)?$/s.exec(text ?? '')) || [];
  return mockId === undefined ? text : (options.mockUrl?.replace('<mock_id>', mockId) ?? '') + path;
}

const NO_BODY = Buffer.alloc(0);

/** Its request goes no further; what acts on answers acts on this one. */
function serveFile(shape: Redirect, stage: Stage): boolean {
  const text = stage.readsFiles ? textOf(shape, stage) : undefined;
  const path = text === undefined ? undefined : filePathOf(text);
  const found = path === undefined ? undefined : stage.fileAt(path);
  if (path === undefined || found === undefined || 'problem' in found) return false;
  if (!take(stage.budget, 1 + (found.bytes.length >> 10))) return false;
  const type = mediaTypeOf(path) ?? 'application/octet-stream';
  const answer: Answer = {
    status: 200,
    statusText: undefined,
    headers: [
      { name: 'content-type', value: isTextType(type) ? `${type}; charset=utf-8` : type },
      // An edit of the file shows at the next request.
      { name: 'cache-control', value: 'no-cache' },
      ...crossOriginLines(stage.facts, true),
    ],
    body: stage.facts.method === 'HEAD' ? NO_BODY : found.bytes,
  };
  noteAnswer(stage, undefined, answer);
  stage.file = answer;
  return true;
}
