/** The endpoints about the service itself: agents' protocol, version, console, health. */
import { systemClock } from '../base/clock.ts';
import { refuse } from '../errors.ts';
import { RateLimit } from '../http/admission/rate-limit.ts';
import { consoleApi, hasConsole } from '../http/api/console.ts';
import { consoleKeyApi, type ConsoleKeyOptions } from '../http/api/console-key.ts';
import { healthApi } from '../http/api/health.ts';
import { mcpApi } from '../http/api/mcp.ts';
import { rootApi } from '../http/api/root.ts';
import { versionApi } from '../http/api/version.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { STORE_FORMAT } from '../store/store-format.ts';
import type { Store } from '../store/store.ts';
import type { McpMode } from '../mcp/tools/tool.ts';
import type { ApiParts } from './api-parts.ts';

/**
 * Exchanges tried in a second, by one client address and in all: nobody has a key yet whose requests could be counted.
 * A flood from one address leaves the others theirs.
 */
const CONSOLE_EXCHANGES_PER_SECOND = 10;
const CONSOLE_EXCHANGES_IN_ALL_PER_SECOND = 200;

export function serviceEndpoints(parts: ApiParts): readonly Endpoint[] {
  const { config, build, store, consoleFiles, http, isReady, scrape } = parts;
  const { version } = build;
  return [
    ...(config.mcp === 'off' ? [] : mcpApi(answerMcp(config.mcp, version), (call, asked) => http.ask(call, asked))),
    ...versionApi({ ...build, storeFormat: STORE_FORMAT }),
    ...rootApi(version, hasConsole(consoleFiles)),
    ...consoleApi(consoleFiles),
    ...(hasConsole(consoleFiles) ? consoleKeyApi(consoleKeys(store)) : []),
    ...healthApi({ ready: isReady, metrics: scrape, metricsToken: config.metricsToken }),
  ];
}

/** The library of the protocol is loaded by the first request. */
function answerMcp(mode: McpMode, version: string): Parameters<typeof mcpApi>[0] {
  return async ({ message, headers, ...asked }) => {
    const { answerHttp } = await import('../mcp/protocol/answer-http.ts');
    return answerHttp({ message, headers }, { ...asked, mode, version });
  };
}

function consoleKeys(store: Store): ConsoleKeyOptions {
  const perClient = new RateLimit(CONSOLE_EXCHANGES_PER_SECOND);
  const inAll = new RateLimit(CONSOLE_EXCHANGES_IN_ALL_PER_SECOND);
  return {
    // In this order: what one client tries in vain takes nothing from the others.
    admits: (network) => perClient.admits(network) && inAll.admits('all'),
    exchange: async (code) => (store.diskSpace.isFull ? refuse('storageFull') : store.exchangeCode(code, systemClock)),
  };
}
