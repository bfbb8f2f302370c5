/** What the rule tester asks: the request, and perhaps an answer to it. In the form, in the address, and as the API takes it. */
import type { EvaluateInput } from '../../../client/shapes.ts';
import { headerLines, headerProblem } from '../../parts/request-text.ts';
import type { Query } from '../../state/place.ts';
import { linesWord, shellWord } from '../../state/shell-word.ts';

export interface Question {
  readonly method: string;
  readonly url: string;
  /** Lines of `name: value`. */
  readonly headers: string;
  readonly body: string;
  /** `sec-fetch-dest` of a browser: "" for none. */
  readonly resource: string;
  /** The page that asks: "" for none. It is sent as `referer`. */
  readonly page: string;
  readonly mode: 'redirect' | 'rewrite';
  /** What the upstream answers: nothing is known, an answer, or none came. */
  readonly answer: 'unknown' | 'given' | 'failed';
  readonly status: string;
  readonly answerHeaders: string;
  readonly answerBody: string;
}

export const NO_QUESTION: Question = {
  method: 'GET',
  url: '',
  headers: '',
  body: '',
  resource: '',
  page: '',
  mode: 'redirect',
  answer: 'unknown',
  status: '200',
  answerHeaders: '',
  answerBody: '',
};

/** Members that stand in the address. Bodies do not: they may be long. */
const IN_ADDRESS = [
  'method',
  'url',
  'headers',
  'resource',
  'page',
  'mode',
  'answer',
  'status',
  'answerHeaders',
] as const;

/** Their values would let a reader of the address act for somebody. */
const SECRET = /^(authorization|proxy-authorization|cookie|set-cookie|.*(api[-_]?key|token|secret|password).*)$/i;

/** @returns Members that are as they are without being said are undefined. */
export function queryOf(question: Question): Query {
  const shown: Question = {
    ...question,
    headers: withoutSecrets(question.headers),
    answerHeaders: withoutSecrets(question.answerHeaders),
  };
  return Object.fromEntries(
    IN_ADDRESS.map((name) => [name, shown[name] === NO_QUESTION[name] ? undefined : shown[name]]),
  );
}

/** @param query Of an address, which anybody may have written. */
export function questionOf(query: ReadonlyMap<string, string>): Question {
  const given = Object.fromEntries(IN_ADDRESS.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])));
  const question = { ...NO_QUESTION, ...given } as Question;
  return {
    ...question,
    mode: question.mode === 'rewrite' ? 'rewrite' : 'redirect',
    answer: question.answer === 'given' || question.answer === 'failed' ? question.answer : 'unknown',
  };
}

const withoutSecrets = (headers: string): string =>
  headers
    .split('\n')
    .filter((line) => !SECRET.test(line.split(':', 1)[0]?.trim() ?? ''))
    .join('\n');

/** What the server cannot tell, since it would not be sent: by name of the field. */
export function problemsOf(question: Question): Partial<Record<keyof Question, string>> {
  const problems: Partial<Record<keyof Question, string>> = {};
  if (question.url.trim() === '') problems.url = 'Enter the URL of a request.';
  for (const name of ['headers', 'answerHeaders'] as const) {
    const problem = headerProblem(name === 'headers' || question.answer === 'given' ? question[name] : '');
    if (problem !== undefined) problems[name] = problem;
  }
  if (question.answer === 'given' && !/^\d{3}$/.test(question.status.trim())) {
    problems.status = 'Enter a status of three digits.';
  }
  return problems;
}

/** The question as `POST /v1/rules/evaluate` takes it. */
export function inputOf(question: Question): EvaluateInput {
  const { url, mode } = question;
  return {
    request: {
      method: question.method.trim(),
      url: url.trim(),
      headers: requestLines(question),
      ...(question.body === '' ? {} : { body: question.body }),
    },
    ...answerOf(question),
    ...(mode === 'rewrite' ? { mode } : {}),
  };
}

/** With what a browser says of the page and of what is loaded, unless the lines say it. */
function requestLines({ headers, resource, page }: Question): ReturnType<typeof headerLines> {
  const lines = headerLines(headers);
  const has = (name: string): boolean => lines.some((line) => line.name.toLowerCase() === name);
  if (resource !== '' && !has('sec-fetch-dest')) lines.push({ name: 'sec-fetch-dest', value: resource });
  if (page.trim() !== '' && !has('referer')) lines.push({ name: 'referer', value: page.trim() });
  return lines;
}

function answerOf({ answer, status, answerHeaders, answerBody }: Question): Pick<EvaluateInput, 'response'> {
  if (answer === 'unknown') return {};
  if (answer === 'failed') return { response: { failed: true } };
  return {
    response: {
      status: Number(status),
      headers: headerLines(answerHeaders),
      ...(answerBody === '' ? {} : { body: answerBody }),
    },
  };
}

/** Linux takes no longer argument than 128 KiB. */
const COMMAND_CHARS_MAX = 100_000;

/** Whether a command line takes it. */
export const fitsCommand = ({ url, headers, body, answerHeaders, answerBody }: Question): boolean =>
  url.length + headers.length + body.length + answerHeaders.length + answerBody.length <= COMMAND_CHARS_MAX;

/**
 * The question as a command for a terminal. What is in it stands between quotes: a shell runs nothing of it.
 *
 * @returns undefined for what the command line cannot ask: an answer, and rewriting.
 */
export function commandOf(question: Question, apiUrl: string): string | undefined {
  if (question.answer !== 'unknown' || question.mode === 'rewrite') return undefined;
  const { method, url, body } = question;
  const address = shellWord(url.trim());
  // A link may bring any text here: after "--" it is not an option.
  const isLikeOption = url.trim().startsWith('-');
  return [
    `switchyard rules test${isLikeOption ? '' : ` ${address}`}`,
    `--server ${shellWord(apiUrl.replace(/\/v1$/, ''))}`,
    ...(method === 'GET' && body === '' ? [] : [`--method ${shellWord(method.trim())}`]),
    ...requestLines(question).map(({ name, value }) => `--header ${shellWord(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data ${linesWord(body)}`]),
    ...(isLikeOption ? [`-- ${address}`] : []),
  ].join(' ');
}
