/** Media types of files as Mockoon names them, and those that it takes for templates. */
import { mediaTypeOf as usualTypeOf } from '../../../base/media-types.ts';

export function mediaTypeOf(path: string): string | undefined {
  if (/\.handlebars$/i.test(path)) return 'text/x-handlebars-template';
  if (/\.bin$/i.test(path)) return 'application/octet-stream';
  return /\.js$/i.test(path) ? 'application/javascript' : usualTypeOf(path);
}

const TEMPLATES: ReadonlySet<string> = new Set([
  'application/javascript',
  'application/json',
  'application/xhtml+xml',
  'application/xml',
  'text/css',
  'text/csv',
  'text/html',
  'text/plain',
  'text/x-handlebars-template',
]);

export function isTemplatedFile(path: string, mediaType: string | undefined): boolean {
  return path.endsWith('.handlebars') || (mediaType !== undefined && TEMPLATES.has(mediaType));
}
