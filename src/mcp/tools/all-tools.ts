/** All tools, in the order in which they are listed. The command line has a command for each (cli/tool-commands.ts). */
import { applyMock } from './apply-mock.ts';
import { editMock, patchResponses } from './edit-mock.ts';
import { createMock, listMocks, readMock, tryRequest } from './mocks.ts';
import { evaluateRules, listRules, putRule } from './rules.ts';
import { searchDocuments } from './documents.ts';
import { createSession, endSession } from './sessions.ts';
import type { Tool } from './tool.ts';
import { listExchanges, listRequests, verifyRequests } from './traffic.ts';

export const TOOLS: readonly Tool[] = [
  listMocks,
  readMock,
  createMock,
  editMock,
  patchResponses,
  tryRequest,
  applyMock,
  listRequests,
  verifyRequests,
  createSession,
  endSession,
  listRules,
  evaluateRules,
  putRule,
  listExchanges,
  searchDocuments,
];
