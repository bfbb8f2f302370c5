/** The API's documentation: the OpenAPI document and a page that shows it, without resources of other servers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SWAGGER_UI_FOLDER } from '../../base/program-files.ts';
import { OPENAPI_PATH, openApiDocument } from '../openapi.ts';
import { endpoint, type Endpoint } from '../endpoint.ts';

// Relative addresses: behind a reverse proxy the service may live under a prefix.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchyard API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;
const START = `SwaggerUIBundle({ url: '${OPENAPI_PATH.slice(1)}', dom_id: '#api', deepLinking: true, tryItOutEnabled: true });\n`;

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const NO_SNIFFING = '\r\nx-content-type-options: nosniff';
/** Nothing but this service's own files, in no frame of another page; the page styles itself inline. */
const PAGE_HEADERS =
  "\r\ncontent-security-policy: default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  `frame-ancestors 'none'${NO_SNIFFING}`;

export function docsApi(routes: readonly Endpoint[], version: string): Endpoint[] {
  let document: Buffer | undefined;
  return [
    endpoint({
      method: 'GET',
      path: OPENAPI_PATH,
      access: 'public',
      handle(call) {
        document ??= Buffer.from(JSON.stringify(openApiDocument(routes, version)));
        call.sendKept('application/json; charset=utf-8', document);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/docs',
      access: 'public',
      handle: (call) => call.send(200, HTML, PAGE, PAGE_HEADERS),
    }),
    endpoint({
      method: 'GET',
      path: '/docs/start.js',
      access: 'public',
      handle: (call) => call.send(200, SCRIPT, START, NO_SNIFFING),
    }),
    packageFile('/docs/swagger-ui.css', STYLE),
    packageFile('/docs/swagger-ui-bundle.js', SCRIPT),
  ];
}

/** A file of swagger-ui-dist, read on first use and kept. */
function packageFile(path: string, contentType: string): Endpoint {
  let content: Promise<Buffer> | undefined;
  return endpoint({
    method: 'GET',
    path,
    access: 'public',
    handle(call) {
      content ??= readFile(join(SWAGGER_UI_FOLDER, path.slice('/docs/'.length)));
      content.then(
        (bytes) => call.sendKept(contentType, bytes, NO_SNIFFING),
        () => {
          content = undefined;
          call.refuse('serverError');
        },
      );
    },
  });
}
