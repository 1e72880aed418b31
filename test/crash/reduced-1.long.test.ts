import { testPart } from "./run-reduced";

testPart("dynamic", "first half");
