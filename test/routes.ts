/** The service's routes, as its rules and its log name them. The first three are for the keys of an account. */
export const POST = "POST /api_keys";
export const LIST = "GET /api_keys";
export const DELETE = "DELETE /api_keys/{key_id}";

export const WHO = "GET /auth";
export const PROJECTS = "GET /projects";
export const LIST_OPERATIONS = "GET /projects/{project_id}/operations";
export const GET_OPERATION = "GET /projects/{project_id}/operations/{operation_id}";
