/** A callback of a response as one of the environment, which the response names with a time. */
import type { Callback } from '../../../model/mocks/definition/definition.ts';
import { lostInCallback } from '../../exchanges/callback.ts';
import type { Item } from '../../report/report.ts';
import { latencyOf } from './write-latency.ts';
import { writtenTemplate } from './write-template.ts';

export interface WrittenCallback {
  readonly uuid: string;
  readonly latency: number;
  /** As the environment has it. */
  readonly written: object;
}

/** @param isPlain Whether the response has no templates: then the bodies of its callbacks have none in Mockoon. */
export function writtenCallback(callback: Callback, uuid: string, isPlain: boolean, item: Item): WrittenCallback[] {
  const { name = '', url, method = 'POST', headers = [], body = '', templated = false, delay = 0, when } = callback;
  for (const lost of lostInCallback(callback)) item.note('mockoon-export.callback', undefined, `${url}: ${lost}`);
  if (when !== undefined) return [];
  if (callback.bodyEncoding === 'base64' && body !== '') item.note('mockoon-export.binary');
  const shown = (text: string, isRendered = true): string => {
    const isTemplate = templated !== false && text.includes('{{');
    if (text.includes('{{') && isTemplate !== isRendered) item.note('mockoon-export.template', undefined, text);
    return isTemplate ? writtenTemplate(text, item) : text;
  };
  const written = {
    uuid,
    id: uuid.slice(0, 8),
    uri: shown(url),
    name,
    documentation: '',
    method: method.toLowerCase(),
    headers: headers.map((line) => ({ key: line.name, value: shown(line.value) })),
    bodyType: 'INLINE',
    body: shown(body, !isPlain),
    databucketID: '',
    filePath: '',
    sendFileAsBody: true,
  };
  return [{ uuid, latency: latencyOf(delay, item), written }];
}
