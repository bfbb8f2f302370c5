/** Responses: status, headers, and a body that is in the environment, in a file, or in a data bucket. */
import { LATENCY_MS_MAX } from '../../../limits.ts';
import type { ReadResponse } from '../../format.ts';
import { countMembers, numberIn, textIn, typed, type Members } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { headersIn, joined, withContentType } from './headers.ts';
import { isTemplatedFile, mediaTypeOf } from './media-types.ts';
import type { RouteContext } from './context.ts';
import { rulesIn } from './rules.ts';
import { among, plain, type RewordedText } from '../../templates/reword.ts';
import { readTemplate } from './templates.ts';

const RESPONSE: Members = { uuid: ['text'], crudKey: ['text'] };
const LABEL_CHARS_MAX = 1_000;
/** Tags that an entry names. */
const LOOSE_SHOWN = 5;

/** Headers of every answer of routes with a store. */
export const JSON_TYPE = [{ name: 'Content-Type', value: 'application/json; charset=utf-8' }];

interface Body {
  readonly text: string;
  readonly encoding?: 'base64';
  readonly isFile?: true;
  /** Media type by the name of the file. */
  readonly mediaType?: string;
  readonly isTemplate: boolean;
  /** A file that is offered under its name. */
  readonly attachment?: string;
  /** The body that stands for a missing file. */
  readonly status?: number;
}

/** How the response is chosen. */
interface Choice {
  readonly isDefault: boolean;
  readonly usesRules: boolean;
  /** Whether a store gives the body. */
  readonly isStored?: boolean;
}

/** @returns None for a response that is left out. */
export function readResponse(
  source: Member,
  { isDefault, usesRules, isStored = false }: Choice,
  context: RouteContext,
): ReadResponse[] {
  const { report } = context;
  const item = report.item('response', source);
  const label = textIn(source, 'label') ?? '';
  const { rules, rulesOperator, isWhole } = rulesIn(source, usesRules, item, context);
  const body = isStored ? storedBody(source) : bodyOf(source, item, context);
  if (body === undefined || (!isWhole && !isDefault)) {
    source.whole();
    return [];
  }
  const written = statusIn(source);
  const own = headersIn(source, item, report);
  countMembers(source, RESPONSE, { code: 'mockoon.environment' }, report);
  if (label.length > LABEL_CHARS_MAX) item.note('mockoon.label');
  const isPlain = typed(source, 'disableTemplating', 'flag')?.value === true;
  const content = isPlain || !body.isTemplate ? plain(body.text) : readTemplate(body.text, context);
  const status = content.status ?? body.status ?? written;
  const lines = isStored
    ? withContentType(joined(joined(context.headers, own), JSON_TYPE), status)
    : withContentType(joined(context.headers, own), status, body);
  if (body.attachment !== undefined) {
    const value = `attachment; filename="${encodeURIComponent(body.attachment)}"`;
    lines.push({ name: 'Content-Disposition', value });
  }
  const templates = {
    body: content,
    headers: lines.map(({ name, value }) => ({ name, ...headerTemplate(value, body, context) })),
  };
  const all = [templates.body, ...templates.headers];
  noteTemplates(all, item);
  const templated = all.some((each) => each.templated);
  const latency = latencyIn(source, item);
  return [
    {
      item,
      label: label.slice(0, LABEL_CHARS_MAX),
      status,
      headers: templates.headers.map((each) => ({ name: each.name, value: among(all, each) })),
      body: body.encoding === undefined ? among(all, templates.body) : body.text,
      ...(body.encoding === undefined ? {} : { bodyEncoding: body.encoding }),
      ...(latency === 0 ? {} : { latency }),
      ...(isDefault ? { default: true } : {}),
      ...(rules.length === 0 || (!isWhole && isDefault) ? {} : { rules, rulesOperator }),
      ...(templated ? { templated } : {}),
    },
  ];
}

/** A response with a body in bytes has no templates. */
function headerTemplate(value: string, { encoding }: Body, context: RouteContext): RewordedText {
  const read = readTemplate(value, context);
  return encoding === undefined || !read.templated ? read : { ...plain(value), unknown: [value] };
}

/** Notes what has no words here, and what prints otherwise. */
export function noteTemplates(all: readonly RewordedText[], item: Item): void {
  for (const { unknown, different } of all) {
    for (const each of unknown) item.note('mockoon.template', undefined, each);
    for (const each of different) item.note('mockoon.template-value', undefined, each);
  }
  if (all.some(({ text, templated }) => templated && text.includes('bodyValue'))) item.count('mockoon.body-type');
  const loose = all.flatMap((each) => each.loose);
  if (loose.length > 0) item.note('mockoon.templates', undefined, loose.slice(0, LOOSE_SHOWN).join(' '));
}

/** Older files have a text. */
function statusIn(source: Member): number {
  const status = typed(source, 'statusCode', 'number', 'text')?.value;
  return typeof status === 'string' ? Number.parseInt(status, 10) : ((status as number | undefined) ?? 200);
}

function latencyIn(source: Member, item: Item): number {
  const latency = Math.max(0, numberIn(source, 'latency') ?? 0);
  if (latency > LATENCY_MS_MAX) item.note('mockoon.latency', source.at('/latency'));
  return Math.min(latency, LATENCY_MS_MAX);
}

/** Drops the place of the body, which has no effect. */
function storedBody(source: Member): Body {
  for (const name of ['body', 'filePath', 'databucketID', 'bodyType']) textIn(source, name);
  for (const name of ['sendFileAsBody', 'fallbackTo404']) typed(source, name, 'flag');
  return { text: '', isTemplate: false };
}

/** @returns undefined where its file is unknown. */
export function bodyOf(source: Member, item: Item, context: RouteContext): Body | undefined {
  const text = textIn(source, 'body') ?? '';
  const path = textIn(source, 'filePath') ?? '';
  const bucketId = textIn(source, 'databucketID') ?? '';
  const kind = textIn(source, 'bodyType') ?? (path === '' ? 'INLINE' : 'FILE');
  const isAttachment = typed(source, 'sendFileAsBody', 'flag')?.value !== true;
  const mayFail = typed(source, 'fallbackTo404', 'flag')?.value === true;
  if (kind === 'FILE' && path !== '') {
    if (path.includes('{{')) {
      item.note('mockoon.file-path', source.at('/filePath'), path);
      return undefined;
    }
    const body = fileBody(path, isAttachment, context);
    if (body !== undefined) return body;
    if (mayFail) return { text, isTemplate: true, status: 404, isFile: true, ...typeOf(path) };
    item.note('mockoon.file', source.at('/filePath'), path);
    return undefined;
  }
  if (kind === 'DATABUCKET' && bucketId !== '') return bucketBody(bucketId, text, item, context);
  return { text, isTemplate: true };
}

function typeOf(path: string): Pick<Body, 'mediaType'> {
  const mediaType = mediaTypeOf(path);
  return mediaType === undefined ? {} : { mediaType };
}

function fileBody(path: string, isAttachment: boolean, { bundle }: RouteContext): Body | undefined {
  const bytes = bundle.content(path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, ''));
  if (bytes === undefined) return undefined;
  const mediaType = mediaTypeOf(path);
  const isTemplate = isTemplatedFile(path, mediaType);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  return {
    text: isText ? text : bytes.toString('base64'),
    ...(isText ? {} : { encoding: 'base64' as const }),
    isFile: true,
    ...typeOf(path),
    isTemplate: isText && isTemplate,
    ...(isAttachment ? { attachment: path.split(/[/\\]/).at(-1) ?? path } : {}),
  };
}

/** Without such a bucket Mockoon sends the body of the response. */
function bucketBody(id: string, text: string, item: Item, context: RouteContext): Body {
  const { buckets } = context;
  const bucket = buckets.byId(id);
  if (bucket === undefined) {
    item.note('mockoon.bucket', undefined, id);
    return { text, isTemplate: false };
  }
  if (bucket.readsRequest) {
    item.note('mockoon.bucket-template');
    return { text: bucket.text, isTemplate: true };
  }
  if (buckets.isStore(bucket) && buckets.useAsStore(bucket)) {
    if (bucket.hasTags) noteTemplates([readTemplate(bucket.text, context)], item);
    return { text: `{{{data '${id}'}}}`, isTemplate: true };
  }
  const { value } = bucket;
  return {
    text: value === undefined || typeof value === 'string' ? (value ?? bucket.text) : JSON.stringify(value),
    isTemplate: false,
  };
}
