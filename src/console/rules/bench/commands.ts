/** The question of the test bench as commands for a terminal. What is in it stands between quotes: a shell runs nothing of it. */
import { API_URL } from '../../state/session.ts';
import { linesWord, shellWord } from '../../state/shell-word.ts';
import { inputOf, requestLines, type Question } from './question.ts';

/** Linux takes no longer argument than 128 KiB. */
const COMMAND_CHARS_MAX = 100_000;

/** Whether a command line takes it. */
export const fitsCommand = ({ url, headers, body, answerHeaders, answerBody }: Question): boolean =>
  url.length + headers.length + body.length + answerHeaders.length + answerBody.length <= COMMAND_CHARS_MAX;

/** A request to the API. The key is taken from the environment, as the command line does. */
export const curlOf = (question: Question): string =>
  [
    `curl -X POST ${shellWord(`${API_URL}/rules/evaluate`)}`,
    `-H "x-api-key: $SWITCHYARD_API_KEY"`,
    `-H 'content-type: application/json'`,
    `--data-raw ${shellWord(JSON.stringify(inputOf(question)))}`,
  ].join(' ');

/** @returns undefined for what the command line cannot ask: an answer, and rewriting. */
export function commandOf(question: Question): string | undefined {
  if (question.answer !== 'unknown' || question.mode === 'rewrite') return undefined;
  const { method, url, body } = question;
  const address = shellWord(url.trim());
  // A link may bring any text here: after "--" it is no option.
  const isLikeOption = url.trim().startsWith('-');
  return [
    `switchyard rules test${isLikeOption ? '' : ` ${address}`}`,
    `--server ${shellWord(API_URL.replace(/\/v1$/, ''))}`,
    ...(method === 'GET' && body === '' ? [] : [`--method ${shellWord(method.trim())}`]),
    ...requestLines(question).map(({ name, value }) => `--header ${shellWord(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data ${linesWord(body)}`]),
    ...(isLikeOption ? [`-- ${address}`] : []),
  ].join(' ');
}
