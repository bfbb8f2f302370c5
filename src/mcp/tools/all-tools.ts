/** All tools, in the order in which they are listed. The command line has a command for each (cli/tool-commands.ts). */
import { searchDocuments } from './documents/search-documents.ts';
import { listExchanges } from './gateway/list-exchanges.ts';
import { configureMock } from './mocks/configure-mock.ts';
import { createMock } from './mocks/create-mock.ts';
import { deleteMock } from './mocks/delete-mock.ts';
import { diffMock } from './mocks/diff-mock.ts';
import { discardEdits } from './mocks/discard-edits.ts';
import { exportMock } from './mocks/export-mock.ts';
import { importFile } from './mocks/import-file.ts';
import { listMocks } from './mocks/list-mocks.ts';
import { readMock } from './mocks/read-mock.ts';
import { runMock } from './mocks/run-mock.ts';
import { saveMock } from './mocks/save-mock.ts';
import { tryRequest } from './mocks/try-request.ts';
import { deleteRoute } from './routes/delete-route.ts';
import { listRoutes } from './routes/list-routes.ts';
import { putRoute } from './routes/put-route.ts';
import { readRoute } from './routes/read-route.ts';
import { routeFromRequest } from './routes/route-from-request.ts';
import { setFault } from './routes/set-fault.ts';
import { deleteRule } from './rules/delete-rule.ts';
import { evaluateRules } from './rules/evaluate-rules.ts';
import { listRules } from './rules/list-rules.ts';
import { putRule } from './rules/put-rule.ts';
import { createSession } from './sessions/create-session.ts';
import { endSession } from './sessions/end-session.ts';
import { listSessions } from './sessions/list-sessions.ts';
import type { Tool } from './tool.ts';
import { listRequests } from './traffic/list-requests.ts';
import { verifyRequests } from './traffic/verify-requests.ts';

export const TOOLS: readonly Tool[] = [
  listMocks,
  readMock,
  importFile,
  createMock,
  configureMock,
  diffMock,
  tryRequest,
  saveMock,
  runMock,
  discardEdits,
  exportMock,
  deleteMock,
  listRoutes,
  readRoute,
  putRoute,
  deleteRoute,
  routeFromRequest,
  setFault,
  listRequests,
  verifyRequests,
  createSession,
  listSessions,
  endSession,
  listRules,
  evaluateRules,
  putRule,
  deleteRule,
  listExchanges,
  searchDocuments,
];
