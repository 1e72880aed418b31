import { testPart } from "./run-reduced";

testPart("first half");
