import { testPart } from "./run-reduced";

testPart("plugin", "second half");
