/** The request of the test bench, what a browser says with it, and the answer that it gets. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Detail } from '../../../errors.ts';
import { Button, SelectField, TextField } from '../../parts/controls.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { commandOf, curlOf, fitsCommand } from './commands.ts';
import type { Question } from './question.ts';

interface BenchFormProps {
  readonly question: Question;
  /** Found here. */
  readonly problems: Partial<Record<keyof Question, string>>;
  /** Found by the server, with paths of what was sent. */
  readonly details: readonly Detail[];
  readonly isRunning: boolean;
  readonly onEdit: (given: Partial<Question>) => void;
  readonly onRun: () => void;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Values of `sec-fetch-dest`, by what rules call them. */
const RESOURCES = [
  ['', 'Not said'],
  ['document', 'A page'],
  ['iframe', 'A frame'],
  ['empty', 'fetch or XHR'],
  ['script', 'A script'],
  ['style', 'A style sheet'],
  ['image', 'An image'],
  ['font', 'A font'],
  ['video', 'Media'],
  ['websocket', 'A web socket'],
] as const;

const MODES = [
  ['redirect', 'The client is redirected'],
  ['rewrite', 'The request goes elsewhere'],
] as const;

const ANSWERS = [
  ['unknown', 'Not known'],
  ['given', 'As below'],
  ['failed', 'None: the server is away'],
] as const;

/** Where the server's details say a field is wrong. */
const PATHS = {
  url: '/request/url',
  method: '/request/method',
  headers: '/request/headers',
  body: '/request/body',
  status: '/response/status',
  answerHeaders: '/response/headers',
  answerBody: '/response/body',
} as const;

export function BenchForm({ question, problems, details, isRunning, onEdit, onRun }: BenchFormProps): JSX.Element {
  const field = (name: keyof typeof PATHS) => ({
    value: question[name],
    onInput: (value: string) => onEdit({ [name]: value }),
    error: problems[name] ?? details.find(({ path }) => path.startsWith(PATHS[name]))?.message,
  });
  const hasMore = useOnce(
    [question.headers, question.body, question.resource, question.page].some((text) => text !== ''),
  );
  const hasAnswer = useOnce(question.answer !== 'unknown' || question.mode !== 'redirect');
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <div class="bench-line">
        <TextField label="Method" {...field('method')} suggestions={METHODS} monospace />
        <TextField
          label="URL"
          {...field('url')}
          monospace
          isFind
          takesFocus={question.url === ''}
          placeholder="https://example.com/cart"
        />
        <Button type="submit" kind="primary" busy={isRunning}>
          Run
        </Button>
      </div>
      <details open={hasMore}>
        <summary>Headers, body and page</summary>
        <div class="bench-more">
          <TextField label="Headers" {...field('headers')} rows={3} monospace placeholder="accept: text/html" />
          <TextField label="Body" {...field('body')} rows={3} monospace />
          <SelectField
            label="What is loaded"
            value={question.resource as ''}
            options={RESOURCES as readonly (readonly ['', string])[]}
            onChange={(resource) => onEdit({ resource })}
            hint="Browsers say it in sec-fetch-dest."
          />
          <TextField
            label="Page that asks"
            value={question.page}
            onInput={(page) => onEdit({ page })}
            monospace
            placeholder="https://shop.example.com/"
            hint="Browsers say it in referer."
          />
        </div>
      </details>
      <details open={hasAnswer}>
        <summary>The server's answer, and redirects</summary>
        <div class="bench-more">
          <SelectField
            label="The server's answer"
            value={question.answer}
            options={ANSWERS}
            onChange={(answer) => onEdit({ answer })}
            hint="Rules that change answers show more with one."
          />
          <SelectField
            label="A rule that changes the URL"
            value={question.mode}
            options={MODES}
            onChange={(mode) => onEdit({ mode })}
          />
          {question.answer === 'given' && (
            <>
              <TextField label="Status" {...field('status')} monospace />
              <TextField label="Headers of the answer" {...field('answerHeaders')} rows={3} monospace />
              <TextField label="Body of the answer" {...field('answerBody')} rows={3} monospace />
            </>
          )}
        </div>
      </details>
      <div class="row">
        <span class="hint">Ctrl+Enter runs it. Nothing is sent to the URL.</span>
        {question.url !== '' && <Copies question={question} />}
      </div>
    </form>
  );
}

function Copies({ question }: Pick<BenchFormProps, 'question'>): JSX.Element {
  if (!fitsCommand(question)) return <span class="hint">It is too long for a command line.</span>;
  const command = commandOf(question);
  return (
    <>
      <CopyButton text={curlOf(question)} what="as curl">
        Copy as curl
      </CopyButton>
      {command !== undefined && (
        <CopyButton text={command} what="as command">
          Copy as command
        </CopyButton>
      )}
    </>
  );
}

/** Once true it stays: fields that are emptied do not vanish. */
function useOnce(now: boolean): boolean {
  const once = useRef(false);
  once.current ||= now;
  return once.current;
}
