import { testPart } from "./run-reduced";

testPart("dynamic", "second half");
