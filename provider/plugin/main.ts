#!/usr/bin/env node
// The executable plugin `pulumi-resource-keyplane`. The engine starts it with its own address, and reads the port of the
// plugin from the first line of the output.

import grpc = require("@grpc/grpc-js");
import service = require("@pulumi/pulumi/proto/engine_grpc_pb");
import messages = require("@pulumi/pulumi/proto/engine_pb");

import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Session } from "../session/session";

import schema = require("./schema.json");

import { service as implementation } from "./server";

// Static imports, because nothing can be resolved at run time in a bundle.
const session = new Session(() => ({ grpc, messages, service }));
session.watch();
const server = new grpc.Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(ResourceProviderService, implementation(session, schema));
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${port}\n`);
});
