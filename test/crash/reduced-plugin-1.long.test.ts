import { testPart } from "./run-reduced";

testPart("plugin", "first half");
