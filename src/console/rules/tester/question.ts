/** The question of the rule tester: a request, and optionally its response. As a form, in the address, and for the API. */
import type { EvaluateInput } from '../../../client/shapes.ts';
import { headerLines, headerProblem } from '../../parts/request-text.ts';
import type { Query } from '../../state/place.ts';
import { linesWord, shellWord } from '../../../languages/shell-word.ts';

export interface Question {
  readonly method: string;
  readonly url: string;
  /** Lines of `name: value`. */
  readonly headers: string;
  readonly body: string;
  /** The browser's `sec-fetch-dest`; "" for none. */
  readonly resource: string;
  /** The requesting page, sent as `referer`; "" for none. */
  readonly page: string;
  readonly mode: 'redirect' | 'rewrite';
  /** The upstream's answer: unknown, given, or failed. */
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

/** Members in the address. Bodies are excluded: they may be long. */
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

/** Credentials, which must not be in an address. */
const SECRET = /^(authorization|proxy-authorization|cookie|set-cookie|.*(api[-_]?key|token|secret|password).*)$/i;

/** @returns undefined for members at their default. */
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

/** @param query From an address, which is untrusted. */
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

/** Errors that the server cannot report, because the question is not sent: by field. */
export function problemsOf(question: Question): Partial<Record<keyof Question, string>> {
  const problems: Partial<Record<keyof Question, string>> = {};
  if (question.url.trim() === '') problems.url = 'Enter the URL of a request.';
  for (const name of ['headers', 'answerHeaders'] as const) {
    const problem = headerProblem(name === 'headers' || question.answer === 'given' ? question[name] : '');
    if (problem !== undefined) problems[name] = problem;
  }
  if (question.answer === 'given' && !/^\d{3}$/.test(question.status.trim())) {
    problems.status = 'Enter a three-digit status.';
  }
  return problems;
}

/** The body of `POST /v1/rules/evaluate`. */
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

/** With the headers that a browser adds, unless the lines set them. */
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

/** Linux limits an argument to 128 KiB. */
const COMMAND_CHARS_MAX = 100_000;

/** Whether it fits a command line. */
export const fitsCommand = ({ url, headers, body, answerHeaders, answerBody }: Question): boolean =>
  url.length + headers.length + body.length + answerHeaders.length + answerBody.length <= COMMAND_CHARS_MAX;

/**
 * The question as a shell command. All content is quoted: the shell executes none of it.
 *
 * @returns undefined for what the command cannot ask: a response, and rewriting.
 */
export function commandOf(question: Question, apiUrl: string): string | undefined {
  if (question.answer !== 'unknown' || question.mode === 'rewrite') return undefined;
  const { method, url, body } = question;
  const address = shellWord(url.trim());
  // A link may bring any text: after "--" it is not an option.
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
