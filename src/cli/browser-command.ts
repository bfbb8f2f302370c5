/** `switchyard browser`: its options. What it does is loaded when it runs. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { OperatorError } from '../base/operator-error.ts';
import { SESSION_ID } from '../model/mocks/sessions/session.ts';
import type { BrowserOptions } from './browser.ts';
import { nonEmpty } from './option-values.ts';
import { addServerOptions } from './server-options.ts';

export function addBrowserCommand(program: Command): void {
  addServerOptions(
    program
      .command('browser')
      .description(
        'open Chrome, Chromium or Edge with its requests through the gateway of a server, in a temporary profile; ends with the browser',
      )
      .usage('[options] [url] [-- <arguments of the browser...>]')
      .argument('[url]', 'page to open')
      .argument('[arguments...]', 'arguments of the browser')
      .addOption(new Option('--browser <path>', 'the browser (default: the first one found)').argParser(nonEmpty))
      .addOption(
        new Option(
          '--session [id]',
          'gateway session of the requests; without an id, a new one that ends with the browser',
        ).argParser(sessionId),
      ),
  ).action(async (first: string | undefined, others: readonly string[], given: BrowserOptions) => {
    // In `browser -- --headless=new` the first one is the browser's.
    const [page, args] = first?.startsWith('-') === true ? [undefined, [first, ...others]] : [first, others];
    const url = page === undefined ? 'about:blank' : pageUrl(page);
    const { openBrowser } = await import('./browser.ts');
    await openBrowser(url, args, given);
  });
}

function sessionId(text: string): string {
  if (SESSION_ID.test(text)) return text;
  throw new InvalidArgumentError('Expected the id of a session. For a new one, put --session after the URL.');
}

/** Accepts an address the way a person types it: `localhost:3000`. @throws OperatorError */
function pageUrl(text: string): string {
  const url = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw new OperatorError(`expected a URL such as https://example.com, not ${JSON.stringify(text)}`);
}
