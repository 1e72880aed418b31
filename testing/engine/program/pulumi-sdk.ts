/** Pulumi's own modules from the program's installation, so that gRPC and the protocol are loaded only once. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Grpc from "@grpc/grpc-js";
import type * as EngineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb";
import type * as EngineProto from "@pulumi/pulumi/proto/engine_pb";
import type * as ProviderGrpc from "@pulumi/pulumi/proto/provider_grpc_pb";
import type * as ProviderProto from "@pulumi/pulumi/proto/provider_pb";
import type * as ResourceGrpc from "@pulumi/pulumi/proto/resource_grpc_pb";
import type * as ResourceProto from "@pulumi/pulumi/proto/resource_pb";
import type * as StatusProto from "@pulumi/pulumi/proto/status_pb";
import type * as EmptyProto from "google-protobuf/google/protobuf/empty_pb";
import type * as StructProto from "google-protobuf/google/protobuf/struct_pb";

/** Maximum message size, which is the SDK's limit: 400 MB. */
export const CHANNEL_OPTIONS = {
  "grpc.max_receive_message_length": 400 * 1024 * 1024,
  "grpc.max_send_message_length": 400 * 1024 * 1024,
} as const;

/** The package's modules that a run needs, without its commands. */
const MODULES = [
  "@grpc/grpc-js",
  "google-protobuf/google/protobuf/struct_pb.js",
  "google-protobuf/google/protobuf/empty_pb.js",
  "./proto/engine_grpc_pb.js",
  "./proto/provider_grpc_pb.js",
  "./proto/resource_grpc_pb.js",
  "./proto/status_pb.js",
];

/** A program's `@pulumi/pulumi`, with its protocol. */
export class PulumiSdk {
  private readonly require: NodeJS.Require;
  /** The package's folder. */
  readonly directory: string;

  /**
   * @param programDirectory the program's folder. Its own `@pulumi/pulumi` is used, never another copy.
   * @throws if the program has none installed.
   */
  constructor(programDirectory: string) {
    const fromProgram = createRequire(join(programDirectory, "index.js"));
    try {
      this.directory = dirname(fromProgram.resolve("@pulumi/pulumi/package.json"));
    } catch {
      throw new Error(`${programDirectory} has no @pulumi/pulumi installed: run npm install in it`);
    }
    this.require = createRequire(join(this.directory, "index.js"));
  }

  /** Loads all modules that a run needs. Takes some tenths of a second. */
  load(): void {
    for (const name of MODULES) this.require(name);
  }

  /** Path of a command of the package, such as `run`. */
  command(name: string): string {
    return join(this.directory, "cmd", name);
  }

  get grpc(): typeof Grpc {
    return this.require("@grpc/grpc-js");
  }

  get struct(): typeof StructProto.Struct {
    return (this.require("google-protobuf/google/protobuf/struct_pb.js") as typeof StructProto).Struct;
  }

  get empty(): typeof EmptyProto.Empty {
    return (this.require("google-protobuf/google/protobuf/empty_pb.js") as typeof EmptyProto).Empty;
  }

  get engineGrpc(): typeof EngineGrpc {
    return this.require("./proto/engine_grpc_pb.js");
  }

  get engine(): typeof EngineProto {
    return this.require("./proto/engine_pb.js");
  }

  get providerGrpc(): typeof ProviderGrpc {
    return this.require("./proto/provider_grpc_pb.js");
  }

  get provider(): typeof ProviderProto {
    return this.require("./proto/provider_pb.js");
  }

  get resourceGrpc(): typeof ResourceGrpc {
    return this.require("./proto/resource_grpc_pb.js");
  }

  get resource(): typeof ResourceProto {
    return this.require("./proto/resource_pb.js");
  }

  get status(): typeof StatusProto {
    return this.require("./proto/status_pb.js");
  }
}
