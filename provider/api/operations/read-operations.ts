import type { HttpAnswer } from "../../http";
import { ID_FORMS } from "../../ids";
import type { Page } from "../paging";
import { Reader } from "../reader";
import type { Operation } from "../records";

export function readOperation(reader: Reader, value: unknown, path: string): Operation {
  const item = reader.object(value, path);
  const at = `${path}.`;
  const branchId = reader.optionalText(item, "branch_id", at);
  const endpointId = reader.optionalText(item, "endpoint_id", at);
  return {
    id: reader.match(item, "id", at, ID_FORMS.operation),
    projectId: reader.match(item, "project_id", at, ID_FORMS.project),
    ...(branchId ? { branchId } : {}),
    ...(endpointId ? { endpointId } : {}),
    action: reader.text(item, "action", at),
    status: reader.text(item, "status", at),
    failuresCount: reader.optionalNumber(item, "failures_count", at) ?? 0,
    createdAt: reader.time(item, "created_at", at),
    updatedAt: reader.time(item, "updated_at", at),
  };
}

export function readSingleOperation(route: string, answer: HttpAnswer): Operation {
  const reader = new Reader(route, answer);
  return readOperation(reader, reader.field(reader.object(answer.json, ""), "operation"), "operation");
}

export function readOperationPage(route: string, answer: HttpAnswer): Page<Operation> {
  const reader = new Reader(route, answer);
  const body = reader.object(answer.json, "");
  const items = reader.array(reader.field(body, "operations"), "operations");
  return {
    items: items.map((each, at) => readOperation(reader, each, `operations[${at}]`)),
    cursor: reader.cursor(body),
  };
}
