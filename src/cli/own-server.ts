/** A server of a command's own, which ends with it. */
import { OperatorError } from '../base/operator-error.ts';
import { startProcess, type ServerProcess } from '../client/server-process.ts';

/** @throws OperatorError with what the server says, when it does not start. */
export async function startOwnServer(...given: Parameters<typeof startProcess>): Promise<ServerProcess> {
  try {
    return await startProcess(...given);
  } catch (error) {
    throw new OperatorError((error as Error).message);
  }
}
