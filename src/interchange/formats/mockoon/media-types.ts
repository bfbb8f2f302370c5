/** Media types of files by their names, and those that Mockoon takes for templates. */

const TYPES: Readonly<Record<string, string>> = {
  bin: 'application/octet-stream',
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  handlebars: 'text/x-handlebars-template',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'application/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  wasm: 'application/wasm',
  webp: 'image/webp',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  yaml: 'text/yaml',
  yml: 'text/yaml',
  zip: 'application/zip',
};

export function mediaTypeOf(path: string): string | undefined {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : TYPES[extension];
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
