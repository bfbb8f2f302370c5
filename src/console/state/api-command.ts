/** A curl command for the API; a POST with a body. The environment supplies the key. */
import { shellWord } from '../../languages/shell-word.ts';

export const apiCommand = (url: string, body?: string): string =>
  [
    `curl${body === undefined ? '' : ' -X POST'} ${shellWord(url)} -H "x-api-key: $SWITCHYARD_API_KEY"`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json' -d ${shellWord(body)}`]),
  ].join(' ');
