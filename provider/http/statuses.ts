/** Whether the service refuses for now: locked, too many requests, or unavailable. */
export const isBusy = (status: number | undefined): boolean => status === 423 || isThrottled(status) || status === 503;

/** Whether the service asks for fewer requests. */
export const isThrottled = (status: number | undefined): boolean => status === 429;

/** Whether the service is busy, but works, and says that it did nothing: it locks or throttles. "Unavailable" may be an outage. */
export const isBusyButWorking = (status: number | undefined): boolean => isBusy(status) && status !== 503;

/** Whether the status proves nothing. 408 also comes from proxies while the server is still working. */
export const isInconclusive = (status: number): boolean => status === 408 || status >= 500;

/** Whether the service has done what it was asked. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Whether the answer leads to another address. keyplane follows none, because it would forward the credential. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Whether the service has understood the request, and refuses it. */
export const isRefusal = (status: number): boolean => status >= 400 && !isBusy(status) && !isInconclusive(status);
