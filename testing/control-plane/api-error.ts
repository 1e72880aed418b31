/** An error response of the service: a status, a message, and a code that is usually empty. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    message: string,
    readonly code = "",
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** Returns the body of an error response. */
export const errorBody = (requestId: string, { code, message }: { code: string; message: string }) => ({
  request_id: requestId,
  code,
  message,
});
