/** Recordings and saved responses that have each member a reader looks at, and some that none does. */
import type { WholeFile } from '../../support/imports.ts';

function har(): WholeFile {
  const comment = 'c';
  const entry = (method: string, url: string, given: { status?: number; text?: string } = {}) => {
    const { status = 200, text = '{}' } = given;
    const headers = [{ name: 'Content-Type', value: 'application/json' }];
    return { request: { method, url }, response: { status, headers, content: { size: text.length, text } } };
  };
  const line = (name: string, value: string) => ({ name, value, comment });
  const cookie = {
    ...line('sid', '1'),
    path: '/',
    domain: 'shop.test',
    expires: '2030-01-01T00:00:00Z',
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
  };
  const cached = { expires: 'e', lastAccess: 'l', eTag: 't', hitCount: 1, comment };
  const whole = {
    pageref: 'p',
    startedDateTime: '2030-01-01T00:00:00Z',
    time: 5,
    request: {
      method: 'POST',
      url: 'https://shop.test/a?x=1',
      httpVersion: 'HTTP/1.1',
      cookies: [cookie],
      headers: [line('Accept', '*/*')],
      queryString: [line('x', '1')],
      postData: {
        mimeType: 'application/json',
        text: '{"a":1}',
        params: [{ ...line('a', '1'), fileName: 'f', contentType: 't' }],
        comment,
      },
      headersSize: 10,
      bodySize: 7,
      comment,
    },
    response: {
      status: 201,
      statusText: 'Created',
      httpVersion: 'HTTP/1.1',
      cookies: [cookie],
      headers: [line('Content-Type', 'text/plain'), line('Content-Length', '3'), line('X-A', '1')],
      content: { size: 3, compression: 0, mimeType: 'text/plain', text: 'YWJj', encoding: 'base64', comment },
      redirectURL: '',
      headersSize: 10,
      bodySize: 3,
      _transferSize: 9,
      comment,
    },
    cache: { beforeRequest: cached, afterRequest: cached, comment },
    timings: { blocked: 1, dns: 1, connect: 1, send: 1, wait: 1, receive: 1, ssl: 1, comment },
    serverIPAddress: '127.0.0.1',
    connection: '80',
    comment,
  };
  return {
    format: 'har',
    source: {
      log: {
        version: '1.2',
        creator: { name: 'n', version: '1', comment },
        browser: { name: 'n', version: '1', comment },
        pages: [
          { startedDateTime: 's', id: 'p', title: 't', pageTimings: { onContentLoad: 1, onLoad: 2, comment }, comment },
        ],
        entries: [
          whole,
          entry('POST', 'https://shop.test/a?x=2', { text: 'b' }),
          entry('GET', 'https://shop.test/b', { status: 0 }),
          entry('GET', 'https://cdn.test/c'),
        ],
        comment,
      },
    },
    // Of an entry that is left out its URL and its status decide; the name of a private member says nothing.
    isExempt: (change, pointer) =>
      /^\/log\/entries\/[23]\/re(?!quest(\/url)?$)/.test(pointer) || (change !== 'delete' && pointer.includes('/_')),
    changesMin: 250,
  };
}

function postman(): WholeFile {
  const description = 'd';
  const parameter = (key: string, value: string) => ({ key, value, type: 'text', disabled: false, description });
  const event = [{ listen: 'test', script: { id: 's', type: 'text/javascript', exec: ['a()'] }, disabled: false }];
  const auth = { type: 'bearer' };
  const whole = {
    method: 'POST',
    url: {
      raw: 'https://{{host}}:8080/a/:id/{{v}}?x=1',
      protocol: 'https',
      host: ['{{host}}'],
      port: '8080',
      path: ['a', ':id', '{{v}}'],
      query: [parameter('x', '1')],
      hash: 'h',
      variable: [parameter('id', '7')],
    },
    header: [parameter('Accept', '*/*')],
    body: { mode: 'raw', raw: '{"a":1}', options: { raw: { language: 'json' } }, disabled: false },
    auth,
    description,
  };
  const response = {
    id: 'r',
    name: 'one',
    originalRequest: whole,
    status: 'OK',
    code: 201,
    _postman_previewlanguage: 'json',
    header: [
      { key: 'Content-Type', value: 'text/plain', description },
      { key: 'Content-Length', value: '3' },
    ],
    cookie: [{ name: 'c' }],
    responseTime: 12,
    timings: { total: 3 },
    body: 'one',
  };
  return {
    format: 'postman',
    source: {
      info: {
        _postman_id: 'i',
        name: 'Shop',
        schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
        _exporter_id: 'e',
        description,
      },
      item: [
        {
          name: 'Folder',
          item: [
            {
              name: 'a',
              id: 'x',
              request: whole,
              response: [
                response,
                { ...response, name: 'two', originalRequest: { method: 'POST', url: { raw: '/a/8/w' } }, body: 'two' },
              ],
              event,
              protocolProfileBehavior: { followRedirects: false },
            },
            {
              name: 'text',
              request: 'https://shop.test/b',
              response: [{ name: 'b', code: 200, header: [{ key: 'Content-Type', value: 'text/plain' }], body: 'b' }],
            },
          ],
          auth,
          event,
          description,
        },
      ],
      event,
      auth,
      variable: [parameter('v', 'w')],
    },
    // What is counted as a whole: its members say nothing. A description may be a text or an object.
    isExempt: (change, pointer) =>
      (change === 'retype' && pointer.endsWith('/description')) ||
      // A script is counted as one, whatever is in it.
      /\/(?:event|auth)\//.test(pointer) ||
      (change !== 'delete' && /\/(?:timings|protocolProfileBehavior|options|exec|host|cookie)\//.test(pointer)),
    changesMin: 300,
  };
}

export const RECORDINGS: readonly WholeFile[] = [har(), postman()];
